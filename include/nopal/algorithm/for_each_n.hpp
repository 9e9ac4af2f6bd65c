// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <utility>

#include "nopal/algorithm/for_each.hpp"
#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

struct for_each_n_function {
  static constexpr auto kind = algorithm_kind::other;

  template <readable_more_than_once I, std::integral N, class F, projects<I> Proj = std::identity>
    requires elements_apart<I> && shared_callable<F, projected_reference<I, Proj>>
  void operator()(grain g, I first, N n, F f, Proj proj = {}) const {
    if (std::cmp_greater(n, 0))
      for_each_function()(
          g, std::counted_iterator(std::move(first), static_cast<std::iter_difference_t<I>>(n)),
          std::default_sentinel, std::move(f), std::move(proj));
  }
};

}  // namespace algorithm_detail

/// Calls f(proj(element)) for n elements from first on, perhaps at the same time: for_each_n(first,
/// n, f, proj = {}) is for_each(first, first + n, f, proj).
/// \code
/// std::vector<int> v(1000);
/// nopal::for_each_n(v.begin(), 500, [](int& x) { x = 1; });
/// \endcode
/// \param n  if it is not positive, nothing is called.
/// \param first, f, proj  as with for_each; first need not have random access.
/// \throws what for_each does.
/// Thread-safety: as for_each.
/// Complexity: as for_each.
/// Source: as for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::for_each_n_function>
    for_each_n{};

}  // namespace parallel
}  // namespace nopal
