// SPDX-License-Identifier: Apache-2.0
// This selects by as many workers as a range is worth.
#pragma once

#include <cstddef>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/ordering.hpp"
#include "nopal/detail/algorithm/sort/select.hpp"
#include "nopal/detail/algorithm/sort/sort_keys.hpp"
#include "nopal/detail/algorithm/workers_here.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Brings element k of n to its place in the order, and what comes before it to the left. If there
/// is no element k, nothing is to be done.
template <class I, class Comp, class Proj>
void select_in_place(I first, std::ptrdiff_t n, std::ptrdiff_t k, const Comp& comp,
                     const Proj& proj) {
  constexpr std::ptrdiff_t worth_workers = 1 << 15;
  if (k >= n) return;
  const ordering<Comp, Proj> less(comp, proj);
  key_sorter sort_keys = nullptr;
  if constexpr (sorts_keys<I, Comp, Proj>) sort_keys = sorter_for<I, Comp>();
  const std::size_t strands = n < worth_workers ? 1 : workers_here();
  selection<I, ordering<Comp, Proj>>(less, strands, sort_keys).run(first, n, k);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
