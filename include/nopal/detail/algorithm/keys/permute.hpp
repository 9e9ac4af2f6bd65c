// SPDX-License-Identifier: Apache-2.0
// This moves elements, each once or twice, to the places that a sort of their numbers has found.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/blocks.hpp"
#include "nopal/detail/algorithm/element_memory.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/keys/keyed.hpp"
#include "nopal/detail/algorithm/keys/unstoppable.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Moves the element at order[i].at to place i, for all i. Each element is moved once, and one of
/// each cycle once more. If a move throws, the element that was on its way is lost.
template <class I, class U>
void permute_in_place(I first, keyed<U>* order, std::ptrdiff_t n) {
  const auto number = [](std::size_t i) { return static_cast<std::ptrdiff_t>(i); };
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    if (number(order[i].at) == i) continue;
    std::iter_value_t<I> held = std::ranges::iter_move(advanced(first, i));
    std::ptrdiff_t hole = i;
    for (;;) {
      const std::ptrdiff_t from =
          number(std::exchange(order[hole].at, static_cast<std::size_t>(hole)));
      if (from == i) break;
      *advanced(first, hole) = std::ranges::iter_move(advanced(first, from));
      hole = from;
    }
    *advanced(first, hole) = std::move(held);
  }
}

/// Does the same in parallel, by a buffer for all elements. No move throws, and no stop comes
/// between.
template <class I, class U>
void permute_by_buffer(I first, const keyed<U>* order, std::ptrdiff_t n) {
  using value = std::iter_value_t<I>;
  const raw_buffer<value> buffer(n);
  value* const moved = buffer.data();
  const unstoppable here;
  for_each_block({0, n}, 0, [=](part p) {
    for (std::ptrdiff_t i = p.from; i < p.to; ++i)
      std::construct_at(moved + i, std::ranges::iter_move(
                                       advanced(first, static_cast<std::ptrdiff_t>(order[i].at))));
  });
  for_each_block({0, n}, 0, [=](part p) {
    for (std::ptrdiff_t i = p.from; i < p.to; ++i) {
      *advanced(first, i) = std::move(moved[i]);
      std::destroy_at(moved + i);
    }
  });
}

template <class I, class U>
void permute(I first, keyed<U>* order, std::ptrdiff_t n) {
  using value = std::iter_value_t<I>;
  // A shorter range is moved before a thief has come.
  constexpr std::ptrdiff_t least_shared = 4096;
  if constexpr (std::is_nothrow_constructible_v<value, std::iter_rvalue_reference_t<I>> &&
                std::is_nothrow_assignable_v<std::iter_reference_t<I>, value&&>) {
    if (n >= least_shared) return permute_by_buffer(first, order, n);
  }
  permute_in_place(first, order, n);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
