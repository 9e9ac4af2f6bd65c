// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/task_group.h>

#include "spawn.hpp"

namespace nopal_bench {
namespace {

void spawn_all(std::uint8_t* first, std::uint8_t* last) {
  tbb::task_group group;
  for (std::uint8_t* mark = first; mark != last; ++mark) {
    group.run([mark] { spawned_function(mark); });
  }
  group.wait();
}

[[maybe_unused]] const bool enrolled = enroll<spawn_problem, tbb_session>(
    "group", [](auto& session, auto& p) { run_spawn(session, p, spawn_all); });

}  // namespace
}  // namespace nopal_bench
