// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/merge_halves.hpp"
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

NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::inplace_merge_function>
    inplace_merge{};

}  // namespace parallel
}  // namespace nopal
