// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/lace.hpp"

#include "knapsack.hpp"

namespace nopal_bench {
namespace {

// The branch with the item is called: one worker takes it first.
VOID_TASK_4(knapsack_lace, knapsack_search*, search, const knapsack_item*, first, std::int64_t,
            room, std::int64_t, value) {
  if (search->ends(first, room, value)) {
    return;
  }
  if (first->weight > room) {
    CALL(knapsack_lace, search, first + 1, room, value);
    return;
  }
  SPAWN(knapsack_lace, search, first + 1, room, value);
  CALL(knapsack_lace, search, first + 1, room - first->weight, value + first->value);
  SYNC(knapsack_lace);
}

void knapsack(knapsack_search* search, const knapsack_item* first, std::int64_t room,
              std::int64_t value) {
  RUN(knapsack_lace, search, first, room, value);
}

[[maybe_unused]] const bool enrolled = enroll<knapsack_problem, lace_session>(
    "spawn", [](auto& session, auto& p) { run_knapsack(session, p, knapsack); });

}  // namespace
}  // namespace nopal_bench
