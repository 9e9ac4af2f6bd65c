// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include "irregular_loop.hpp"

namespace nopal_bench {
namespace {

void loop_group(std::uint64_t* numbers, std::uint64_t n) {
  tbb::task_group group;
  for (std::uint64_t i = 0; i < n; ++i) {
    group.run([=] { irregular_child(numbers, i); });
  }
  group.wait();
}

// parallel_for is what oneTBB has for loops: it makes as many tasks as there are thieves to want
// them.
void loop_for(std::uint64_t* numbers, std::uint64_t n) {
  tbb::parallel_for(std::uint64_t{0}, n, [=](std::uint64_t i) { irregular_child(numbers, i); });
}

[[maybe_unused]] const bool enrolled =
    enroll<irregular_loop_problem, tbb_session>(
        "group", [](auto& session, auto& p) { run_irregular_loop(session, p, loop_group); }) &&
    enroll<irregular_loop_problem, tbb_session>(
        "for", [](auto& session, auto& p) { run_irregular_loop(session, p, loop_for); });

}  // namespace
}  // namespace nopal_bench
