// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/ordered/write_kept.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct unique_function {
  static constexpr auto kind = algorithm_kind::comparison;
  using function = std::ranges::equal_to;

  template <class I, permuted_by<I> S, class Equal = std::ranges::equal_to,
            projects<I> Proj = std::identity>
    requires equates<Equal, I, Proj>
  // This is not inlined, because of what it throws: see held_exception.hpp.
  NOPAL_NOINLINE std::ranges::subrange<I> operator()(grain g, I first, S last, Equal equal = {},
                                                     Proj proj = {}) const {
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    const first_of_equals<Equal, Proj> test{equal, proj};
    return {advanced(first, move_kept(unwrapped(first), n, g.elements, test)), advanced(first, n)};
  }
};

struct unique_copy_function {
  static constexpr auto kind = algorithm_kind::other;
  static constexpr std::size_t function_at = 1;
  using function = std::ranges::equal_to;

  template <class I, splittable_by<I> S, class O, class Equal = std::ranges::equal_to,
            projects<I> Proj = std::identity>
    requires copies_of<O, I> && equates<Equal, I, Proj>
  // This is not inlined, because of what it throws: see held_exception.hpp.
  NOPAL_NOINLINE O operator()(grain g, I first, S last, O out, Equal equal = {},
                              Proj proj = {}) const {
    const first_of_equals<Equal, Proj> test{equal, proj};
    return advanced(out, copy_kept<I>(cut(g, first, last), test, unwrapped(out), nowhere{}));
  }
};

}  // namespace algorithm_detail

/// Moves the first of all elements in a row that are equal to the beginning of a range, in their
/// order: unique(range, equal = {}, proj = {}) or unique(first, last, equal = {}, proj = {}).
/// Containers erase what is left.
/// \code
/// std::vector<int> v{3, 3, 1, 1, 1, 3};
/// const auto gone = nopal::unique(v);
/// v.erase(gone.begin(), gone.end());
/// \endcode
///
/// \param range  as with remove_if.
/// \param equal, proj  called by several workers at once, as const; equal exactly n - 1 times, with
/// an element and the next one. It must be an equivalence. Neither may be a coroutine.
/// \returns what is left behind the elements that were moved, as std::ranges::unique does.
/// \throws whatever equal, proj or a move throws; what is left then is as with remove_if.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: n - 1 comparisons; moves, span and memory are as with remove_if.
/// Source: as copy_if; std::ranges::unique.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::unique_function>
    unique{};

/// Copies the first of all elements in a row that are equal: unique_copy(range, out, equal = {},
/// proj = {}) or unique_copy(first, last, out, equal = {}, proj = {}).
/// \code
/// std::vector<int> v{3, 3, 1, 1, 1, 3}, out(v.size());
/// out.erase(nopal::unique_copy(v, out.begin()), out.end());
/// \endcode
///
/// \param range  has random access and a known size; the same goes for first and last.
/// \param out  as with copy_if.
/// \param equal, proj  as with unique.
/// \returns the end of what was written.
/// \throws whatever equal, proj or the assignment throws; otherwise as copy_if.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: n - 1 comparisons; the rest is as with copy_if.
/// Source: as copy_if; std::ranges::unique_copy.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::unique_copy_function>
    unique_copy{};

}  // namespace parallel
}  // namespace nopal
