// SPDX-License-Identifier: Apache-2.0
// This scans one block whose carry, the result for all that lies before it, is known.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
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

/// Calls first() and then second() with an element as the projection gives it. The projection may
/// be dear, so it is called once, unless it gives what cannot be copied.
template <class Proj, class I, class First, class Second>
NOPAL_INLINE_STEP inline void use_twice(const Proj& proj, I in, const First& first,
                                        const Second& second) {
  using X = std::invoke_result_t<const Proj&, std::iter_reference_t<I>>;
  if constexpr (std::is_lvalue_reference_v<X> || std::copy_constructible<X>) {
    X&& x = std::invoke(proj, *in);
    first(static_cast<X>(x));  // a copy, unless it is a reference
    second(std::forward<X>(x));
  } else {
    first(std::invoke(proj, *in));
    second(std::invoke(proj, *in));
  }
}

/// Does what scan_block() does, for a block that is not empty, and returns its fold in a row.
/// Neither the fold nor the scan waits for the other. If an operation takes a few cycles, both take
/// no more time than one.
template <scan_kind Kind, class U, class I, class O, class Op, class Proj>
U scan_and_fold_in_a_row(I first, std::ptrdiff_t n, O out, U& kept, const Op& op,
                         const Proj& proj) {
  U carry = std::move(kept);  // a local variable, which no store through `out` can change
  // A result may be written where the element is read, so the fold comes first, then the scan.
  std::optional<U> begun;
  use_twice(
      proj, first, [&](auto&& x) { begun.emplace(std::forward<decltype(x)>(x)); },
      [&](auto&& x) { scan_one<Kind>(carry, std::forward<decltype(x)>(x), out, op); });
  U sum = *std::move(begun);
  scan_steps(advanced(first, 1), n - 1, advanced(out, 1), [&](I in, O to) NOPAL_INLINE_STEP {
    use_twice(
        proj, in,
        [&](auto&& x) NOPAL_INLINE_STEP {
          sum = static_cast<U>(std::invoke(op, std::move(sum), std::forward<decltype(x)>(x)));
        },
        [&](auto&& x)
            NOPAL_INLINE_STEP { scan_one<Kind>(carry, std::forward<decltype(x)>(x), to, op); });
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
