// SPDX-License-Identifier: Apache-2.0
// This scans one block whose carry, the result for all that lies before it, is known.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/fold_leaf.hpp"
#include "nopal/detail/algorithm/prefetch.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

enum class scan_kind { inclusive, exclusive };

/// Makes one step. The element is read before its result is written: both may be in the same place.
template <scan_kind Kind, class U, class X, class O, class Op>
void scan_one(U& carry, X&& x, O out, const Op& op) {
  if constexpr (Kind == scan_kind::inclusive) {
    carry = static_cast<U>(std::invoke(op, std::move(carry), std::forward<X>(x)));
    *out = std::as_const(carry);
  } else {
    U next = static_cast<U>(std::invoke(op, U(carry), std::forward<X>(x)));
    *out = std::as_const(carry);
    carry = std::move(next);
  }
}

/// Calls step with the iterator to an element and the one to where its result goes, for all
/// elements of a block.
template <class I, class O, class Step>
NOPAL_INLINE_STEP inline void scan_steps(I first, std::ptrdiff_t n, O out, const Step& step) {
  if constexpr (std::random_access_iterator<I>)
    in_lines<elements_in_line<I>()>(
        n,
        [&](std::ptrdiff_t i) NOPAL_INLINE_STEP {
          fetch_ahead<false>(advanced(first, i), page_ahead);
          fetch_ahead<true>(advanced(out, i), page_ahead);
        },
        [&](std::ptrdiff_t i) NOPAL_INLINE_STEP { step(advanced(first, i), advanced(out, i)); });
  else
    for (; n > 0; --n, ++first, ++out) step(first, out);
}

/// Writes a block and returns the carry for what follows it.
template <scan_kind Kind, class U, class I, class O, class Op, class Proj>
U scan_block(I first, std::ptrdiff_t n, O out, U carry, const Op& op, const Proj& proj) {
  scan_steps(first, n, out, [&](I in, O to) NOPAL_INLINE_STEP {
    scan_one<Kind>(carry, std::invoke(proj, *in), to, op);
  });
  return carry;
}

/// Does what scan_block() does, for a block that is not empty, and returns its fold in a row.
/// Neither the fold nor the scan waits for the other. If an operation takes a few cycles, both take
/// no more time than one.
template <scan_kind Kind, class U, class I, class O, class Op, class Proj>
U scan_and_fold_in_a_row(I first, std::ptrdiff_t n, O out, U& kept, const Op& op,
                         const Proj& proj) {
  U carry = std::move(kept);  // a local variable, which no store through `out` can change
  // A result may be written where the element is read, so the fold comes first, then the scan.
  U sum(std::invoke(proj, *first));
  scan_one<Kind>(carry, std::invoke(proj, *first), out, op);
  scan_steps(advanced(first, 1), n - 1, advanced(out, 1), [&](I in, O to) NOPAL_INLINE_STEP {
    sum = static_cast<U>(std::invoke(op, std::move(sum), std::invoke(proj, *in)));
    scan_one<Kind>(carry, std::invoke(proj, *in), to, op);
  });
  kept = std::move(carry);
  return sum;
}

/// Writes a block that is not empty and returns its fold, bracketed as fold_block does.
template <scan_kind Kind, class U, class I, class O, class Op, class Proj>
U scan_and_fold_block(I first, std::ptrdiff_t n, O out, U carry, const Op& op, const Proj& proj) {
  const auto scan_piece = [&](std::ptrdiff_t from, std::ptrdiff_t length) {
    return scan_and_fold_in_a_row<Kind>(advanced(first, from), length, advanced(out, from), carry,
                                        op, proj);
  };
  if constexpr (small_value<U> && std::random_access_iterator<I>) {
    if (four_pieces::worth_while(n)) {
      const std::ptrdiff_t length = four_pieces(n).length;
      const std::array<U, 4> sums{scan_piece(0, length), scan_piece(length, length),
                                  scan_piece(2 * length, length),
                                  scan_piece(3 * length, n - 3 * length)};
      return all_combined(op, sums);
    }
  }
  return scan_piece(0, n);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
