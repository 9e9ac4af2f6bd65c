// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

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
  // A task that is not stolen runs after what follows it. So it is the other branch that becomes
  // one: the branch with the item comes first here, too.
  tf::TaskGroup group = taskflow_group();
  group.silent_async([=] { knapsack(search, first + 1, room, value); });
  knapsack(search, first + 1, room - first->weight, value + first->value);
  group.corun();
}

[[maybe_unused]] const bool enrolled = enroll<knapsack_problem, taskflow_session>(
    "group", [](auto& session, auto& p) { run_knapsack(session, p, knapsack); });

}  // namespace
}  // namespace nopal_bench
