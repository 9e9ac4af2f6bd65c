// SPDX-License-Identifier: Apache-2.0
#include "harness/runtimes/kernel.hpp"
#include "knapsack.hpp"

namespace nopal_bench {
namespace {

// The branch with the item comes first: it raises the bound.
BENCH_KERNEL(void, knapsack,
             (knapsack_search * search, const knapsack_item* first, std::int64_t room,
              std::int64_t value)) {
  BENCH_TURNS(++first) {
    if (search->ends(first, room, value)) {
      BENCH_RETURN;
    }
    if (first->weight > room) {
      BENCH_CALL_NEXT(knapsack, (search, first + 1, room, value));
    }
    BENCH_FORK_ORDERED(knapsack, (search, first + 1, room - first->weight, value + first->value),
                       knapsack, (search, first + 1, room, value));
    BENCH_RETURN;
  }
}

[[maybe_unused]] const bool enrolled = enroll_kernel<knapsack_problem, widest::two>(
    [](auto& session, auto& p) { run_knapsack(session, p, knapsack); });

}  // namespace
}  // namespace nopal_bench
