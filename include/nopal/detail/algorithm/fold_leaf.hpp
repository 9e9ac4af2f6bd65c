// SPDX-License-Identifier: Apache-2.0
// This folds one block, without forks.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/prefetch.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

template <class U, class Op>
U combined(const Op& op, U a, U b) {
  return static_cast<U>(std::invoke(op, std::move(a), std::move(b)));
}

/// Folds one element after the other into `total`.
template <class U, class I, class Op, class Proj>
void fold_onto(U& total, I first, std::ptrdiff_t n, const Op& op, const Proj& proj) {
  for (; n > 0; --n, ++first)
    total = static_cast<U>(std::invoke(op, std::move(total), std::invoke(proj, *first)));
}

template <class U, class I, class Op, class Proj>
U fold_in_a_row(I first, std::ptrdiff_t n, const Op& op, const Proj& proj) {
  U total(std::invoke(proj, *first));
  fold_onto(total, ++first, n - 1, op, proj);
  return total;
}

/// A block of small values is folded in four pieces side by side. Each operation in a row waits for
/// the one before, for four cycles if doubles are added, but pieces do not wait for each other. The
/// pieces lie one behind the other, so the order of the elements is kept, as an operation that does
/// not commute needs it. An unrolled loop that deals the elements out in turns would not keep it.
/// More than four pieces brought nothing, and were slower in short blocks. Meanwhile the next block
/// is fetched.
struct four_pieces {
  static constexpr std::ptrdiff_t least_elements = 64;

  std::ptrdiff_t length;  ///< The length of each piece; the last has up to three elements more.

  static constexpr bool worth_while(std::ptrdiff_t n) { return n >= least_elements; }
  constexpr explicit four_pieces(std::ptrdiff_t n) : length(n / 4) {}

  template <class U, class I, class Op, class Proj>
  std::array<U, 4> fold(I first, std::ptrdiff_t n, const Op& op, const Proj& proj) const {
    const I a = first, b = advanced(a, length), c = advanced(b, length), d = advanced(c, length);
    U w(std::invoke(proj, *a)), x(std::invoke(proj, *b)), y(std::invoke(proj, *c)),
        z(std::invoke(proj, *d));
    const std::ptrdiff_t block = n * static_cast<std::ptrdiff_t>(sizeof(std::iter_value_t<I>));
    in_lines<elements_in_line<I>()>(
        length - 1,
        [&](std::ptrdiff_t i) NOPAL_INLINE_STEP {
          for (const I piece : {a, b, c, d}) fetch_ahead<false>(advanced(piece, i), block);
        },
        [&](std::ptrdiff_t i) NOPAL_INLINE_STEP {
          w = static_cast<U>(std::invoke(op, std::move(w), std::invoke(proj, *advanced(a, i + 1))));
          x = static_cast<U>(std::invoke(op, std::move(x), std::invoke(proj, *advanced(b, i + 1))));
          y = static_cast<U>(std::invoke(op, std::move(y), std::invoke(proj, *advanced(c, i + 1))));
          z = static_cast<U>(std::invoke(op, std::move(z), std::invoke(proj, *advanced(d, i + 1))));
        });
    fold_onto(z, advanced(d, length), n - 4 * length, op, proj);
    return {w, x, y, z};
  }
};

template <class U, class Op>
U all_combined(const Op& op, const std::array<U, 4>& s) {
  return combined<U>(op, combined<U>(op, s[0], s[1]), combined<U>(op, s[2], s[3]));
}

/// Folds a block that is not empty.
template <class U, class I, class Op, class Proj>
U fold_block(I first, std::ptrdiff_t n, const Op& op, const Proj& proj) {
  if constexpr (small_value<U> && std::random_access_iterator<I>) {
    if (four_pieces::worth_while(n))
      return all_combined(op, four_pieces(n).fold<U>(first, n, op, proj));
  }
  return fold_in_a_row<U>(first, n, op, proj);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
