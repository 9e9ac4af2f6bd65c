// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordering.hpp"
#include "nopal/detail/algorithm/set_cut.hpp"
#include "nopal/detail/algorithm/set_pieces.hpp"
#include "nopal/detail/algorithm/set_run.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// An operation on two sorted ranges that writes a third one.
template <set_kept Kept>
struct set_function {
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
    const sorted_ranges all{unwrapped(first1),
                            static_cast<std::ptrdiff_t>(last1 - first1),
                            unwrapped(first2),
                            static_cast<std::ptrdiff_t>(last2 - first2),
                            comp,
                            proj1,
                            proj2};
    return advanced(out, write_set<Kept>(all, unwrapped(out), g.elements));
  }
};

using set_union_function = set_function<set_kept{.first = true, .second = true, .both = true}>;
using set_intersection_function =
    set_function<set_kept{.first = false, .second = false, .both = true}>;
using set_difference_function =
    set_function<set_kept{.first = true, .second = false, .both = false}>;
using set_symmetric_difference_function =
    set_function<set_kept{.first = true, .second = true, .both = false}>;

struct includes_function {
  static constexpr auto kind = algorithm_kind::two_comparison;
  static constexpr std::size_t ranges = 2;
  static constexpr std::size_t function_at = 0;
  using function = std::ranges::less;

  template <std::random_access_iterator I1, splittable_by<I1> S1, std::random_access_iterator I2,
            splittable_by<I2> S2, class Comp = std::ranges::less, class Proj1 = std::identity,
            class Proj2 = std::identity>
    requires ordered_by<I1, I2, Comp, Proj1, Proj2>
  bool operator()(grain g, I1 first1, S1 last1, I2 first2, S2 last2, Comp comp = {},
                  Proj1 proj1 = {}, Proj2 proj2 = {}) const {
    const sorted_ranges all{unwrapped(first1),
                            static_cast<std::ptrdiff_t>(last1 - first1),
                            unwrapped(first2),
                            static_cast<std::ptrdiff_t>(last2 - first2),
                            comp,
                            proj1,
                            proj2};
    if (all.n2 > all.n1) return false;
    const std::ptrdiff_t length = chosen_grain(g.elements, all.size(), limits_of_sets);
    if (all.size() <= length) return run_includes(all, {}, {all.n1, all.n2});
    // A worker that finds an element missing tells the others, who lose time only if they do not
    // see it.
    std::atomic<bool> missing{false};
    for_each_block({0, (all.size() - 1) / length + 1}, 1, [&](part p) {
      if (missing.load(std::memory_order_relaxed)) return;
      const set_cut to = cut_sets(all, std::min(all.size(), p.to * length));
      if (!run_includes(all, cut_sets(all, p.from * length), to))
        missing.store(true, std::memory_order_relaxed);
    });
    return !missing.load(std::memory_order_relaxed);
  }
};

}  // namespace algorithm_detail

NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::set_union_function>
    set_union{};

NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::set_intersection_function>
    set_intersection{};

NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::set_difference_function>
    set_difference{};

NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::set_symmetric_difference_function>
    set_symmetric_difference{};

NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::includes_function>
    includes{};

}  // namespace parallel
}  // namespace nopal
