// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/task_group.h>

#include "loop.hpp"

namespace nopal_bench {
namespace {

void loop(std::atomic<std::uint64_t>* total, std::uint64_t n) {
  tbb::task_group group;
  for (std::uint64_t i = 0; i < n; ++i) {
    group.run([=] { loop_child(total, i); });
  }
  group.wait();
}

[[maybe_unused]] const bool enrolled = enroll<loop_problem, tbb_session>(
    "group", [](auto& session, auto& p) { run_loop(session, p, loop); });

}  // namespace
}  // namespace nopal_bench
