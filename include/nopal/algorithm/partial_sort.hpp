// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/select_in_place.hpp"
#include "nopal/detail/algorithm/sort_in_place.hpp"

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
      select_in_place(unwrapped(first), n, count, comp, proj);
      sort_in_place(unwrapped(first), count, g.elements, comp, proj);
    }
    return advanced(first, n);
  }
};

}  // namespace algorithm_detail

NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::partial_sort_function>
    partial_sort{};

}  // namespace parallel
}  // namespace nopal
