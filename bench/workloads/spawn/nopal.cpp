// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include <nopal/async.hpp>

#include "spawn.hpp"

namespace nopal_bench {
namespace {

void spawn_all(std::uint8_t* first, std::uint8_t* last) {
  nopal::task_scope scope;
  for (std::uint8_t* mark = first; mark != last; ++mark) {
    scope.spawn([mark] { spawned_function(mark); });
  }
  scope.join();
}

[[maybe_unused]] const bool enrolled = enroll<spawn_problem, nopal_session>(
    "scope", [](auto& session, auto& p) { run_spawn(session, p, spawn_all); });

}  // namespace
}  // namespace nopal_bench
