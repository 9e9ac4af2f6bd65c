// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include "knapsack.hpp"

namespace nopal_bench {
namespace {

void knapsack_invoke(knapsack_search* search, const knapsack_item* first, std::int64_t room,
                     std::int64_t value) {
  if (search->ends(first, room, value)) {
    return;
  }
  if (first->weight > room) {
    knapsack_invoke(search, first + 1, room, value);
    return;
  }
  nopal::parallel_invoke(
      [=] { knapsack_invoke(search, first + 1, room - first->weight, value + first->value); },
      [=] { knapsack_invoke(search, first + 1, room, value); });
}

NOPAL_FORKS void knapsack_frame(knapsack_search* search, const knapsack_item* first,
                                std::int64_t room, std::int64_t value) {
  if (search->ends(first, room, value)) {
    return;
  }
  if (first->weight > room) {
    knapsack_frame(search, first + 1, room, value);
    return;
  }
  nopal::fork_frame frame;
  frame.fork(knapsack_frame, search, first + 1, room - first->weight, value + first->value);
  knapsack_frame(search, first + 1, room, value);
  frame.join();
}

[[maybe_unused]] const bool enrolled =
    enroll<knapsack_problem, nopal_session>(
        "invoke", [](auto& session, auto& p) { run_knapsack(session, p, knapsack_invoke); }) &&
    enroll<knapsack_problem, nopal_session>(
        "frame", [](auto& session, auto& p) { run_knapsack(session, p, knapsack_frame); });

}  // namespace
}  // namespace nopal_bench
