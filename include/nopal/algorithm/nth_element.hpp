// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/sort/select_in_place.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct nth_element_function {
  static constexpr auto kind = algorithm_kind::comparison;
  static constexpr bool has_middle = true;
  static constexpr std::size_t function_at = 1;
  using function = std::ranges::less;

  template <std::random_access_iterator I, splittable_by<I> S, class Comp = std::ranges::less,
            class Proj = std::identity>
    requires sortable_by<I, Comp, Proj>
  I operator()(grain, I first, S last, I nth, Comp comp = {}, Proj proj = {}) const {
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    select_in_place(unwrapped(first), n, static_cast<std::ptrdiff_t>(nth - first), comp, proj);
    return advanced(first, n);
  }
};

}  // namespace algorithm_detail

/// Brings one element to its place in the order: nth_element(range, nth, comp = less, proj = {}) or
/// nth_element(first, nth, last, comp = less, proj = {}). Then what lies before `nth` does not come
/// after it, and what lies behind does not come before it.
/// \code
/// std::vector<int> v{5, 1, 4, 2, 3};
/// nopal::nth_element(v, v.begin() + 2);  // v[2] is 3
/// \endcode
///
/// \param range  random access, and a size known in constant time; its elements can be moved and
/// swapped.
/// \param nth  an iterator into the range, or its end: then nothing is done.
/// \param comp  a strict weak order, as for std::nth_element.
/// \param comp, proj  called by several workers at once, as const. Neither may be a coroutine.
/// \returns the end of the range.
/// \throws whatever comp or proj throws, or the moves of elements; std::bad_alloc. If only comp or
/// proj throws, all elements are in the range, in some order.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: O(n) comparisons and moves, and O(n log n) if every pivot is bad; span O(n / p) on p
/// workers. Extra memory: a few numbers for each worker.
/// Source: selection by samples (Floyd and Rivest, 1975), with the partition of nopal::sort.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::nth_element_function>
    nth_element{};

}  // namespace parallel
}  // namespace nopal
