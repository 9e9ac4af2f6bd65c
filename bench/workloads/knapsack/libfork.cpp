// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "knapsack.hpp"

namespace nopal_bench {
namespace {

constexpr auto knapsack = [](auto knapsack, knapsack_search* search, const knapsack_item* first,
                             std::int64_t room, std::int64_t value)
                              LF_STATIC_CALL -> lf::task<void> {
  for (; !search->ends(first, room, value); ++first) {
    if (first->weight <= room) {
      co_await lf::fork(knapsack)(search, first + 1, room - first->weight, value + first->value);
      co_await lf::call(knapsack)(search, first + 1, room, value);
      co_await lf::join;
      co_return;
    }
  }
};

constexpr auto kernel = [](auto& session, knapsack_problem& p) {
  run_knapsack(session, p, knapsack);
};

[[maybe_unused]] const bool enrolled = enroll<knapsack_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<knapsack_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
