// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

#include "irregular_loop.hpp"

namespace nopal_bench {
namespace {

void loop_group(std::uint64_t* numbers, std::uint64_t n) {
  tf::TaskGroup group = taskflow_group();
  for (std::uint64_t i = 0; i < n; ++i) {
    group.silent_async([numbers, i] { irregular_child(numbers, i); });
  }
  group.corun();
}

// for_each_index is what Taskflow has for loops: each worker takes a part of what is left, and the
// less is left, the smaller the part.
void loop_for(std::uint64_t* numbers, std::uint64_t n) {
  tf::Taskflow loop;
  loop.for_each_index(std::uint64_t{0}, n, std::uint64_t{1},
                      [=](std::uint64_t i) { irregular_child(numbers, i); });
  taskflow_session::executor().corun(loop);
}

[[maybe_unused]] const bool enrolled =
    enroll<irregular_loop_problem, taskflow_session>(
        "group", [](auto& session, auto& p) { run_irregular_loop(session, p, loop_group); }) &&
    enroll<irregular_loop_problem, taskflow_session>(
        "for", [](auto& session, auto& p) { run_irregular_loop(session, p, loop_for); });

}  // namespace
}  // namespace nopal_bench
