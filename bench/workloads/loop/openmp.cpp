// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include "loop.hpp"

namespace nopal_bench {
namespace {

void loop(std::atomic<std::uint64_t>* total, std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) {
#pragma omp task default(none) firstprivate(total, i)
    loop_child(total, i);
  }
#pragma omp taskwait
}

[[maybe_unused]] const bool enrolled = enroll<loop_problem, openmp_session>(
    "", [](auto& session, auto& p) { run_loop(session, p, loop); });

}  // namespace
}  // namespace nopal_bench
