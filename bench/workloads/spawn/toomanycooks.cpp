// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/fork_group.hpp>

#include "spawn.hpp"

namespace nopal_bench {
namespace {

tmc::task<void> spawned(std::uint8_t* mark) {
  spawned_function(mark);
  co_return;
}

// Functions are spawned one by one, as in the others; what TooManyCooks has for many at once is in
// empty_for.
tmc::task<void> spawn_group(std::uint8_t* first, std::uint8_t* last) {
  auto group = tmc::fork_group();
  for (std::uint8_t* mark = first; mark != last; ++mark) {
    group.fork(spawned(mark));
  }
  co_await std::move(group);
}

[[maybe_unused]] const bool enrolled = enroll<spawn_problem, tmc_session>(
    "group", [](auto& session, auto& p) { run_spawn(session, p, spawn_group); });

}  // namespace
}  // namespace nopal_bench
