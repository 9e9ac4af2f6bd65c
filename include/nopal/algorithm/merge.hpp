// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/merge_copied.hpp"
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

NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::merge_function>
    merge{};

}  // namespace parallel
}  // namespace nopal
