// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

#include "loop.hpp"

namespace nopal_bench {
namespace {

void loop(std::atomic<std::uint64_t>* total, std::uint64_t n) {
  tf::TaskGroup group = taskflow_group();
  for (std::uint64_t i = 0; i < n; ++i) {
    group.silent_async([total, i] { loop_child(total, i); });
  }
  group.corun();
}

[[maybe_unused]] const bool enrolled = enroll<loop_problem, taskflow_session>(
    "group", [](auto& session, auto& p) { run_loop(session, p, loop); });

}  // namespace
}  // namespace nopal_bench
