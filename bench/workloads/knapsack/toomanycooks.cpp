// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn.hpp>

#include "knapsack.hpp"

namespace nopal_bench {
namespace {

// The branch with the item is the one that is run at once: it raises the bound.
tmc::task<void> knapsack(knapsack_search* search, const knapsack_item* first, std::int64_t room,
                         std::int64_t value) {
  for (; !search->ends(first, room, value); ++first) {
    if (first->weight <= room) {
      auto without = co_await tmc::fork_clang(knapsack(search, first + 1, room, value));
      co_await knapsack(search, first + 1, room - first->weight, value + first->value);
      co_await std::move(without);
      co_return;
    }
  }
}

[[maybe_unused]] const bool enrolled = enroll<knapsack_problem, tmc_session>(
    "fork", [](auto& session, auto& p) { run_knapsack(session, p, knapsack); });

}  // namespace
}  // namespace nopal_bench
