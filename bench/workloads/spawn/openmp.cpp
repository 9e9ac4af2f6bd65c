// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include "spawn.hpp"

namespace nopal_bench {
namespace {

void spawn_all(std::uint8_t* first, std::uint8_t* last) {
  for (std::uint8_t* mark = first; mark != last; ++mark) {
#pragma omp task default(none) firstprivate(mark)
    spawned_function(mark);
  }
#pragma omp taskwait
}

[[maybe_unused]] const bool enrolled = enroll<spawn_problem, openmp_session>(
    "", [](auto& session, auto& p) { run_spawn(session, p, spawn_all); });

}  // namespace
}  // namespace nopal_bench
