// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include "private_loop.hpp"

namespace nopal_bench {
namespace {

void loop_group(std::uint32_t* numbers, std::uint64_t n) {
  tbb::task_group group;
  for (std::uint64_t i = 0; i < n; ++i) {
    group.run([=] { private_child(numbers, i); });
  }
  group.wait();
}

void loop_for(std::uint32_t* numbers, std::uint64_t n) {
  tbb::parallel_for(std::uint64_t{0}, n, [=](std::uint64_t i) { private_child(numbers, i); });
}

[[maybe_unused]] const bool enrolled =
    enroll<private_loop_problem, tbb_session>(
        "group", [](auto& session, auto& p) { run_private_loop(session, p, loop_group); }) &&
    enroll<private_loop_problem, tbb_session>(
        "for", [](auto& session, auto& p) { run_private_loop(session, p, loop_for); });

}  // namespace
}  // namespace nopal_bench
