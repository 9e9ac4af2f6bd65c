// SPDX-License-Identifier: Apache-2.0
// The scan of one block whose carry, the result for all that lies before it, is known.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "nopal/detail/elements.hpp"
#include "nopal/detail/fold_leaf.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

enum class scan_kind { inclusive, exclusive };

/// One step. The element is read before its result is written: both may be in the same place.
template <scan_kind Kind, class U, class X, class O, class Op>
constexpr void scan_one(U& carry, X&& x, O out, const Op& op) {
  if constexpr (Kind == scan_kind::inclusive) {
    carry = static_cast<U>(std::invoke(op, std::move(carry), std::forward<X>(x)));
    *out = std::as_const(carry);
  } else {
    U next = static_cast<U>(std::invoke(op, U(carry), std::forward<X>(x)));
    *out = std::as_const(carry);
    carry = std::move(next);
  }
}

/// Writes a block and returns the carry for what follows it.
template <scan_kind Kind, class U, class I, class O, class Op, class Proj>
constexpr U scan_in_a_row(I first, std::ptrdiff_t n, O out, U carry, const Op& op, const Proj& proj) {
  for (; n > 0; --n, ++first, ++out) scan_one<Kind>(carry, std::invoke(proj, *first), out, op);
  return carry;
}

/// Writes a block in four pieces side by side and returns its fold: from the folds of the pieces come their carries. Two
/// operations for an element, of which four at a time do not wait for each other; the second time the block is in the cache.
template <scan_kind Kind, class U, class I, class O, class Op, class Proj>
constexpr U scan_side_by_side(I first, std::ptrdiff_t n, O out, const U& carry, const Op& op, const Proj& proj) {
  const four_pieces pieces(n);
  const std::ptrdiff_t length = pieces.length;
  const std::array<U, 4> sums = pieces.fold<U>(first, n, op, proj);
  U w = carry, x = combined<U>(op, w, sums[0]), y = combined<U>(op, x, sums[1]), z = combined<U>(op, y, sums[2]);
  const I a = first, b = advanced(a, length), c = advanced(b, length), d = advanced(c, length);
  const O e = out, f = advanced(e, length), g = advanced(f, length), h = advanced(g, length);
  for (std::ptrdiff_t i = 0; i < length; ++i) {
    scan_one<Kind>(w, element(a, i, proj), advanced(e, i), op);
    scan_one<Kind>(x, element(b, i, proj), advanced(f, i), op);
    scan_one<Kind>(y, element(c, i, proj), advanced(g, i), op);
    scan_one<Kind>(z, element(d, i, proj), advanced(h, i), op);
  }
  scan_in_a_row<Kind>(advanced(d, length), n - 4 * length, advanced(h, length), z, op, proj);
  return all_combined(op, sums);
}

/// Writes a block and returns its fold, bracketed as fold_block does.
template <scan_kind Kind, class U, class I, class O, class Op, class Proj>
constexpr U scan_and_fold(I first, std::ptrdiff_t n, O out, const U& carry, const Op& op, const Proj& proj) {
  if constexpr (small_value<U>) {
    if (four_pieces::worth_while(n)) return scan_side_by_side<Kind>(first, n, out, carry, op, proj);
  }
  U sum = fold_in_a_row<U>(first, n, op, proj);
  scan_in_a_row<Kind>(first, n, out, carry, op, proj);
  return sum;
}

}  // namespace algorithm_detail
}  // namespace
}  // namespace nopal
