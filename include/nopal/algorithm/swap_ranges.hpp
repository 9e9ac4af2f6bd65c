// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/ordered/rotation.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct swap_ranges_function {
  static constexpr auto kind = algorithm_kind::other;
  static constexpr std::size_t ranges = 2;

  template <class I1, splittable_by<I1> S1, class I2, splittable_by<I2> S2>
    requires elements_apart<I1> && elements_apart<I2> && std::indirectly_swappable<I1, I2>
  std::ptrdiff_t operator()(grain g, I1 first1, S1 last1, I2 first2, S2 last2) const {
    const auto n = std::min(static_cast<std::ptrdiff_t>(last1 - first1),
                            static_cast<std::ptrdiff_t>(last2 - first2));
    swap_elements(unwrapped(first1), unwrapped(first2), n, g.elements);
    return n;
  }
};

}  // namespace algorithm_detail

/// Swaps each element of a range with the one in the same place of another, up to the end of the
/// shorter one: swap_ranges(range1, range2) or swap_ranges(first1, last1, first2, last2).
/// \code
/// std::vector<int> a(1000, 1), b(1000, 2);
/// nopal::swap_ranges(a, b);
/// \endcode
/// \param range1, range2  have random access and a known size, and do not overlap; the same goes
/// for the iterators.
/// \returns how many elements were swapped with as many.
/// \throws whatever a swap throws; if several throw, the exception of the first in order among
/// those that ran. Other elements may or may not have been swapped.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: a swap for each element of the shorter range. Forks are as with for_each.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::swap_ranges_function>
    swap_ranges{};

}  // namespace parallel
}  // namespace nopal
