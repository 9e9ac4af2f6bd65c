// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include "knapsack.hpp"

namespace nopal_bench {
namespace {

void knapsack(knapsack_search* search, const knapsack_item* first, std::int64_t room,
              std::int64_t value) {
  if (search->ends(first, room, value)) {
    return;
  }
  if (first->weight > room) {
    knapsack(search, first + 1, room, value);
    return;
  }
#pragma omp task default(none) firstprivate(search, first, room, value)
  knapsack(search, first + 1, room - first->weight, value + first->value);
  knapsack(search, first + 1, room, value);
#pragma omp taskwait
}

[[maybe_unused]] const bool enrolled = enroll<knapsack_problem, openmp_session>(
    "", [](auto& session, auto& p) { run_knapsack(session, p, knapsack); });

}  // namespace
}  // namespace nopal_bench
