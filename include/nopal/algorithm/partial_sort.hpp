// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordering.hpp"
#include "nopal/detail/algorithm/sort/select_few.hpp"
#include "nopal/detail/algorithm/sort/select_in_place.hpp"
#include "nopal/detail/algorithm/sort/sort_in_place.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct partial_sort_function {
  static constexpr auto kind = algorithm_kind::comparison;
  static constexpr bool has_middle = true;
  static constexpr std::size_t function_at = 1;
  using function = std::ranges::less;

  template <std::random_access_iterator I, splittable_by<I> S, class Comp = std::ranges::less,
            class Proj = std::identity>
    requires sortable_by<I, Comp, Proj>
  I operator()(grain g, I first, S last, I middle, Comp comp = {}, Proj proj = {}) const {
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    const auto count = static_cast<std::ptrdiff_t>(middle - first);
    if (count > 0) {
      if (are_few(count, n))
        select_few(unwrapped(first), n, count, ordering<Comp, Proj>(comp, proj));
      else
        select_in_place(unwrapped(first), n, count, comp, proj);
      sort_in_place(unwrapped(first), count, g.elements, comp, proj);
    }
    return advanced(first, n);
  }
};

}  // namespace algorithm_detail

/// Sorts the first elements of the order to the beginning of a range: partial_sort(range, middle,
/// comp = less, proj = {}) or partial_sort(first, middle, last, comp = less, proj = {}). Up to
/// `middle` there is then what were there if all were sorted; the others follow in some order.
/// \code
/// std::vector<int> v{5, 1, 4, 2, 3};
/// nopal::partial_sort(v, v.begin() + 2, std::greater<>());  // 5 4 and the others
/// \endcode
///
/// \param range  random access, and a size known in constant time; its elements can be moved and
/// swapped.
/// \param middle  an iterator into the range, or its end: then all are sorted.
/// \param comp  a strict weak order, as for std::partial_sort.
/// \param comp, proj  called by several workers at once, as const. Neither may be a coroutine.
/// \returns the end of the range.
/// \throws whatever comp or proj throws, or the moves of elements; std::bad_alloc. If only comp or
/// proj throws, all elements are in the range, in some order.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: that of nth_element for n elements and of sort for those up to `middle`. If these
/// are few, m of them, it is O(n log m) comparisons at worst, and mostly one for each element.
/// Source: nopal::nth_element, or a heap of few elements for each worker; then nopal::sort.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::partial_sort_function>
    partial_sort{};

}  // namespace parallel
}  // namespace nopal
