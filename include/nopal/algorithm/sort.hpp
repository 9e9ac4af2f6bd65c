// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/sort_in_place.hpp"

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

NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::sort_function>
    sort{};

}  // namespace parallel
}  // namespace nopal
