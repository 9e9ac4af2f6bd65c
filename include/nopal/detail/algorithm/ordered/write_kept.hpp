// SPDX-License-Identifier: Apache-2.0
// These choose how what is kept of a range is written.
#pragma once

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordered/copies.hpp"
#include "nopal/detail/algorithm/ordered/kept_elements.hpp"
#include "nopal/detail/algorithm/ordered/moves.hpp"
#include "nopal/detail/algorithm/ordered/parts.hpp"
#include "nopal/detail/algorithm/ordered/values.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Whether O can be assigned values of elements of I.
template <class O, class I>
inline constexpr bool takes_values = std::indirectly_writable<O, const std::iter_value_t<I>&>;
template <class I>
inline constexpr bool takes_values<nowhere, I> = true;

/// Copies what is kept of elements, and perhaps the rest. Returns how many are kept.
/// \tparam I  what iterates over the elements: a walked range has blocks instead.
template <class I, class Elements, class Test, class Kept, class Rest>
std::ptrdiff_t copy_kept(const Elements& all, const Test& test, Kept kept, Rest rest) {
  using first = std::remove_cvref_t<decltype(all.first)>;
  if (all.size <= 0) return 0;
  const auto run = [&](const auto& work) {
    return ordered_output(work, all.policy.elements, sizeof(std::iter_value_t<I>)).run(all.size);
  };
  if constexpr (splittable_by<first, first> && plain_values<I> && takes_values<Kept, I> &&
                takes_values<Rest, I>)
    return run(values<first, Test, Kept, Rest>(all.first, test, kept, rest));
  else
    return run(copies<first, Test, Kept, Rest>(all.first, test, kept, rest));
}

/// Moves what is kept of n elements to the beginning. Returns how many that are. The others are
/// left in a valid state, and plain values are what happened to be there.
template <class I, class Test>
std::ptrdiff_t move_kept(I first, std::ptrdiff_t n, std::size_t grain, const Test& test) {
  using T = std::iter_value_t<I>;
  const auto run = [&](const auto& work) { return ordered_output(work, grain, sizeof(T)).run(n); };
  if (n <= 0) return 0;
  if constexpr (std::is_pointer_v<I> && plain_values<I>)
    return run(values<I, Test, roomy<T>, nowhere>(first, test, {first}, {}));
  else
    return run(moves<I, Test, nowhere>(first, test, {}));
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
