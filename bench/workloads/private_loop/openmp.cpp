// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include "private_loop.hpp"

namespace nopal_bench {
namespace {

void loop_taskloop(std::uint32_t* numbers, std::uint64_t n) {
#pragma omp taskloop default(none) firstprivate(numbers, n)
  for (std::uint64_t i = 0; i < n; ++i) {
    private_child(numbers, i);
  }
}

[[maybe_unused]] const bool enrolled = enroll<private_loop_problem, openmp_session>(
    "taskloop", [](auto& session, auto& p) { run_private_loop(session, p, loop_taskloop); });

}  // namespace
}  // namespace nopal_bench
