// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/sort/sort_in_place.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct sort_function {
  static constexpr auto kind = algorithm_kind::comparison;
  using function = std::ranges::less;

  template <std::random_access_iterator I, splittable_by<I> S, class Comp = std::ranges::less,
            class Proj = std::identity>
    requires sortable_by<I, Comp, Proj>
  I operator()(grain g, I first, S last, Comp comp = {}, Proj proj = {}) const {
    const auto n = static_cast<std::ptrdiff_t>(last - first);
    sort_in_place(unwrapped(first), n, g.elements, comp, proj);
    return advanced(first, n);
  }
};

}  // namespace algorithm_detail

/// Sorts a range in place: sort(range, comp = less, proj = {}) or sort(first, last, comp = less,
/// proj = {}). Equal elements may change places; nopal::stable_sort keeps them in order.
///
/// A range that is in order already, or in the reverse order, is only looked at, and then reversed
/// if need be. Integers of 16 bits or more, float and double, in a row in memory, without a
/// projection, and compared by std::less or std::greater or those of std::ranges are sorted by
/// vector instructions, if the library was built with Highway. A lambda that does the same is a
/// function like any other.
/// \code
/// std::vector<int> v{3, 1, 2};
/// nopal::sort(v);
/// nopal::sort(v, std::greater<>());
/// std::vector<std::string> words{"aa", "b"};
/// nopal::sort(words, {}, &std::string::size);
/// \endcode
///
/// \param range  random access, and a size known in constant time; its elements can be moved and
/// swapped.
/// \param comp  whether its first argument comes before its second; a strict weak order, as for
/// std::sort. Where there is a NaN, the order is unspecified.
/// \param comp, proj  called by several workers at once, as const. Neither may be a coroutine.
/// \returns the end of the range.
/// \throws whatever comp or proj throws, or the moves of elements; std::bad_alloc. If only comp or
/// proj throws, all elements are in the range, in some order; so they are if a stop ends the sort.
/// No stop ends a part that vector instructions sort: half of what falls to a worker, or everything
/// if there is one worker.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: O(n log n) comparisons and moves for any input, O(n) if there are few distinct
/// elements. The span is O(n / p + log² n) on p workers while pivots are near the median. Extra
/// memory: a stack of O(log n), less than a kilobyte for each worker, and a few for vector
/// instructions, whatever n is.
/// Source: pattern-defeating quicksort (Peters, 2021); BlockQuicksort (Edelkamp and Weiß, ESA
/// 2016); parallel partition by blocks from both ends (Tsigas and Zhang, PDP 2003); vqsort
/// (Wassenberg, Blacher, Giesen and Sanders, 2022).
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::sort_function>
    sort{};

}  // namespace parallel
}  // namespace nopal
