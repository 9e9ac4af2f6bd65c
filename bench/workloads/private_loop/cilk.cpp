// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/opencilk.hpp"
#include "private_loop.hpp"

namespace nopal_bench {
namespace {

void loop_for(std::uint32_t* numbers, std::uint64_t n) {
  cilk_for (std::uint64_t i = 0; i < n; ++i) {
    private_child(numbers, i);
  }
}

[[maybe_unused]] const bool enrolled = enroll<private_loop_problem, opencilk_session>(
    "for", [](auto& session, auto& p) { run_private_loop(session, p, loop_for); });

}  // namespace
}  // namespace nopal_bench
