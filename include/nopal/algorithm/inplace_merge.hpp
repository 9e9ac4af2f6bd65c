// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/merge/merge_halves.hpp"
#include "nopal/detail/algorithm/ordering.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct inplace_merge_function {
  static constexpr auto kind = algorithm_kind::comparison;
  static constexpr bool has_middle = true;
  static constexpr std::size_t function_at = 1;
  using function = std::ranges::less;

  template <std::random_access_iterator I, splittable_by<I> S, class Comp = std::ranges::less,
            class Proj = std::identity>
    requires sortable_by<I, Comp, Proj>
  I operator()(grain g, I first, S last, I middle, Comp comp = {}, Proj proj = {}) const {
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    merge_halves(unwrapped(first), static_cast<std::ptrdiff_t>(middle - first), n,
                 chosen_grain(g.elements, n, limits_of_merge), ordering<Comp, Proj>(comp, proj));
    return advanced(first, n);
  }
};

}  // namespace algorithm_detail

/// Merges the two sorted parts of a range, before and behind `middle`: inplace_merge(range, middle,
/// comp = less, proj = {}) or inplace_merge(first, middle, last, comp = less, proj = {}). Of equal
/// elements those of the first part come first, and those of one part stay in order.
/// \code
/// std::vector<int> v{1, 4, 2, 3};
/// nopal::inplace_merge(v, v.begin() + 2);
/// \endcode
///
/// \param range  random access, and a size known in constant time; its elements can be moved, which
/// must not throw.
/// \param comp  a strict weak order, by which both parts are sorted.
/// \param comp, proj  called by several workers at once, as const. Neither may be a coroutine.
/// \returns the end of the range.
/// \throws whatever comp or proj throws; then all elements are in the range, in some order. If a
/// move throws, the program ends.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: O(n) comparisons and moves; span O(log² n) and a block. What is at its place at
/// either end already is found by O(log n) comparisons and not moved. Extra memory: as many
/// elements as are moved, or on one worker as the shorter part has. If that cannot be had, they are
/// merged in place with O(n log n) moves, and nothing is thrown.
/// Source: cuts by rank (co-ranking: Siebert and Träff, 2013); without memory, by rotations
/// (SymMerge: Kim and Kutzner, ESA 2004).
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::inplace_merge_function>
    inplace_merge{};

}  // namespace parallel
}  // namespace nopal
