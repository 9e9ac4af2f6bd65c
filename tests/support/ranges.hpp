// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <iterator>

namespace nopal_test {

/// Lengths of ranges: none, one, and what lies around the grains that are chosen and the pieces of
/// a block.
inline constexpr std::array<std::size_t, 16> lengths{0,   1,   2,   3,   63,   64,   65,   66,
                                                     255, 257, 511, 514, 2047, 2050, 5000, 12345};

/// A sentinel of another type than the iterator.
template <class I>
struct length_sentinel {
  I end;

  friend bool operator==(const I& i, const length_sentinel& s) { return i == s.end; }
  friend std::iter_difference_t<I> operator-(const length_sentinel& s, const I& i) {
    return s.end - i;
  }
  friend std::iter_difference_t<I> operator-(const I& i, const length_sentinel& s) {
    return i - s.end;
  }
};
template <class I>
length_sentinel(I) -> length_sentinel<I>;

/// 2 × 2 matrices: their product is associative and does not commute. Larger than what is folded
/// side by side.
struct matrix {
  unsigned a = 1, b = 0, c = 0, d = 1;

  friend bool operator==(const matrix&, const matrix&) = default;
  friend matrix operator*(const matrix& x, const matrix& y) {
    return {x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c,
            x.c * y.b + x.d * y.d};
  }
};

/// x → a·x + b, modulo 2^32: composed, these do not commute either. Small.
struct affine {
  unsigned a = 1, b = 0;

  friend bool operator==(const affine&, const affine&) = default;
  friend affine operator*(const affine& x, const affine& y) { return {x.a * y.a, x.b * y.a + y.b}; }
};

/// The i-th of a sequence without a pattern.
constexpr unsigned scrambled(std::size_t i) {
  return static_cast<unsigned>(i * 2654435761U ^ i >> 3);
}

inline affine affine_number(std::size_t i) { return {scrambled(i) | 1, scrambled(i + 99)}; }
inline matrix matrix_number(std::size_t i) {
  return {scrambled(i), 1, scrambled(i + 7), scrambled(i + 3) | 1};
}

}  // namespace nopal_test
