// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/opencilk.hpp"
#include "loop.hpp"

namespace nopal_bench {
namespace {

void loop(std::atomic<std::uint64_t>* total, std::uint64_t n) {
  cilk_scope {
    for (std::uint64_t i = 0; i < n; ++i) {
      cilk_spawn loop_child(total, i);
    }
  }
}

[[maybe_unused]] const bool enrolled = enroll<loop_problem, opencilk_session>(
    "", [](auto& session, auto& p) { run_loop(session, p, loop); });

}  // namespace
}  // namespace nopal_bench
