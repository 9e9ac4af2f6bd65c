// SPDX-License-Identifier: Apache-2.0
// This sorts a range, unless it is sorted.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/ordering.hpp"
#include "nopal/detail/algorithm/sort/quicksort.hpp"
#include "nopal/detail/algorithm/sort/sort_keys.hpp"
#include "nopal/detail/algorithm/sort/sorted_run.hpp"
#include "nopal/detail/algorithm/workers_here.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Returns how a range of n elements is divided among workers.
inline quicksort_cuts cuts_of_quicksort(std::ptrdiff_t n, std::size_t by_hand, bool has_keys) {
  constexpr std::ptrdiff_t worth_a_fork = 1024, worth_workers = 1 << 15;
  if (by_hand == 0 && n < worth_workers && (has_keys || n < worth_a_fork)) return serial_cuts;
  const std::size_t workers = workers_here();
  if (workers == 1) return serial_cuts;
  const std::ptrdiff_t share = n / static_cast<std::ptrdiff_t>(workers);
  const std::ptrdiff_t least = has_keys ? std::max(share / 2, worth_workers / 4) : worth_a_fork;
  return {by_hand == 0 ? least : chosen_grain(by_hand, n), std::max(share, worth_workers), workers};
}

template <class I, class Comp, class Proj>
void sort_in_place(I first, std::ptrdiff_t n, std::size_t by_hand, const Comp& comp,
                   const Proj& proj) {
  const ordering<Comp, Proj> less(comp, proj);
  if (is_one_run(first, n, less)) return;
  key_sorter sort_keys = nullptr;
  if constexpr (sorts_keys<I, Comp, Proj>) sort_keys = sorter_for<I, Comp>();
  const quicksort_cuts cuts = cuts_of_quicksort(n, by_hand, sort_keys != nullptr);
  quicksort<I, ordering<Comp, Proj>>(less, cuts, sort_keys).run(first, n);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
