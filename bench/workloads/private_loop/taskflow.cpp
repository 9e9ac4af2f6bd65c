// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

#include "private_loop.hpp"

namespace nopal_bench {
namespace {

void loop_for(std::uint32_t* numbers, std::uint64_t n) {
  tf::Taskflow loop;
  loop.for_each_index(std::uint64_t{0}, n, std::uint64_t{1},
                      [=](std::uint64_t i) { private_child(numbers, i); });
  taskflow_session::executor().corun(loop);
}

[[maybe_unused]] const bool enrolled = enroll<private_loop_problem, taskflow_session>(
    "for", [](auto& session, auto& p) { run_private_loop(session, p, loop_for); });

}  // namespace
}  // namespace nopal_bench
