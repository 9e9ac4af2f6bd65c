// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include "irregular_loop.hpp"

namespace nopal_bench {
namespace {

void loop(std::uint64_t* numbers, std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) {
#pragma omp task default(none) firstprivate(numbers, i)
    irregular_child(numbers, i);
  }
#pragma omp taskwait
}

// A taskloop is what OpenMP has for loops; it chooses the number of tasks.
void loop_taskloop(std::uint64_t* numbers, std::uint64_t n) {
#pragma omp taskloop default(none) firstprivate(numbers, n)
  for (std::uint64_t i = 0; i < n; ++i) {
    irregular_child(numbers, i);
  }
}

[[maybe_unused]] const bool enrolled =
    enroll<irregular_loop_problem, openmp_session>(
        "", [](auto& session, auto& p) { run_irregular_loop(session, p, loop); }) &&
    enroll<irregular_loop_problem, openmp_session>(
        "taskloop", [](auto& session, auto& p) { run_irregular_loop(session, p, loop_taskloop); });

}  // namespace
}  // namespace nopal_bench
