// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/merge/merge_copied.hpp"
#include "nopal/detail/algorithm/ordering.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct merge_function {
  static constexpr auto kind = algorithm_kind::two_comparison;
  static constexpr std::size_t ranges = 2;
  static constexpr std::size_t function_at = 1;
  using function = std::ranges::less;

  template <std::random_access_iterator I1, splittable_by<I1> S1, std::random_access_iterator I2,
            splittable_by<I2> S2, std::random_access_iterator O, class Comp = std::ranges::less,
            class Proj1 = std::identity, class Proj2 = std::identity>
    requires mergeable_by<I1, I2, O, Comp, Proj1, Proj2>
  O operator()(grain g, I1 first1, S1 last1, I2 first2, S2 last2, O out, Comp comp = {},
               Proj1 proj1 = {}, Proj2 proj2 = {}) const {
    const two_parts all{{0, static_cast<std::ptrdiff_t>(last1 - first1)},
                        {0, static_cast<std::ptrdiff_t>(last2 - first2)}};
    const ordering<Comp, Proj2, Proj1> second_before_first(comp, proj2, proj1);
    merge_copied(unwrapped(first1), unwrapped(first2), all, unwrapped(out),
                 chosen_grain(g.elements, all.size(), limits_of_merge), second_before_first);
    return advanced(out, all.size());
  }
};

}  // namespace algorithm_detail

/// Merges two sorted ranges into a third one: merge(range1, range2, out, comp = less, proj1 = {},
/// proj2 = {}) or merge(first1, last1, first2, last2, out, comp = less, proj1 = {}, proj2 = {}). Of
/// equal elements those of the first range come first, and those of one range stay in order.
/// \code
/// std::vector<int> odd{1, 3, 5}, even{2, 4}, all(5);
/// nopal::merge(odd, even, all.begin());
/// \endcode
///
/// \param range1, range2  random access, and a size known in constant time; sorted by comp.
/// \param out  where to write: room for all elements, apart from both ranges. It is a random-access
/// iterator.
/// \param comp, proj1, proj2  called by several workers at once, as const. None may be a coroutine.
/// \returns the end of what has been written.
/// \throws whatever comp, a projection or an assignment throws; if several throw, the exception of
/// the first in order among those that ran. Some elements have been written then.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: O(n) comparisons and n assignments; span O(log² n) and a block; no allocation.
/// Source: cuts by rank (co-ranking: Siebert and Träff, 2013).
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::merge_function>
    merge{};

}  // namespace parallel
}  // namespace nopal
