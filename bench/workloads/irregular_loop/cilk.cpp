// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/opencilk.hpp"
#include "irregular_loop.hpp"

namespace nopal_bench {
namespace {

void loop_spawn(std::uint64_t* numbers, std::uint64_t n) {
  cilk_scope {
    for (std::uint64_t i = 0; i < n; ++i) {
      cilk_spawn irregular_child(numbers, i);
    }
  }
}

// cilk_for is what Cilk has for loops; it chooses how many turns are one task.
void loop_for(std::uint64_t* numbers, std::uint64_t n) {
  cilk_for (std::uint64_t i = 0; i < n; ++i) {
    irregular_child(numbers, i);
  }
}

[[maybe_unused]] const bool enrolled =
    enroll<irregular_loop_problem, opencilk_session>(
        "", [](auto& session, auto& p) { run_irregular_loop(session, p, loop_spawn); }) &&
    enroll<irregular_loop_problem, opencilk_session>(
        "for", [](auto& session, auto& p) { run_irregular_loop(session, p, loop_for); });

}  // namespace
}  // namespace nopal_bench
