// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

#include "spawn.hpp"

namespace nopal_bench {
namespace {

void spawn_group(std::uint8_t* first, std::uint8_t* last) {
  tf::TaskGroup group = taskflow_group();
  for (std::uint8_t* mark = first; mark != last; ++mark) {
    group.silent_async([mark] { spawned_function(mark); });
  }
  group.corun();
}

// The thread outside spawns, as in Taskflow's examples of asynchronous tasks.
void spawn_async(taskflow_session&, spawn_problem& p) {
  tf::Executor& executor = taskflow_session::executor();
  for (std::uint8_t& mark : p.marks) {
    executor.silent_async([&mark] { spawned_function(&mark); });
  }
  executor.wait_for_all();
  p.result = true;
}

[[maybe_unused]] const bool enrolled =
    enroll<spawn_problem, taskflow_session>(
        "group", [](auto& session, auto& p) { run_spawn(session, p, spawn_group); }) &&
    enroll<spawn_problem, taskflow_session>("async", spawn_async);

}  // namespace
}  // namespace nopal_bench
