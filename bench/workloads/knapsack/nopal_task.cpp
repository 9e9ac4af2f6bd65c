// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"
#include "knapsack.hpp"

namespace nopal_bench {
namespace {

nopal::task<> knapsack_task(knapsack_search* search, const knapsack_item* first, std::int64_t room,
                            std::int64_t value) {
  for (; !search->ends(first, room, value); ++first) {
    if (first->weight <= room) {
      co_await nopal::fork(knapsack_task, search, first + 1, room - first->weight,
                           value + first->value);
      co_await nopal::call(knapsack_task, search, first + 1, room, value);
      co_await nopal::join();
      co_return;
    }
  }
}

[[maybe_unused]] const bool enrolled = enroll<knapsack_problem, nopal_session>(
    "task", [](auto& session, auto& p) { run_knapsack(session, p, knapsack_task); });

}  // namespace
}  // namespace nopal_bench
