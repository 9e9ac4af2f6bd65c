// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/fork_group.hpp>
#include <tmc/spawn_many.hpp>

#include "irregular_loop.hpp"

namespace nopal_bench {
namespace {

tmc::task<void> child(std::uint64_t* numbers, std::uint64_t i) {
  irregular_child(numbers, i);
  co_return;
}

tmc::task<void> loop_group(std::uint64_t* numbers, std::uint64_t n) {
  auto group = tmc::fork_group();
  for (std::uint64_t i = 0; i < n; ++i) {
    group.fork(child(numbers, i));
  }
  co_await std::move(group);
}

// spawn_many is what TooManyCooks has for loops. It makes all children before the first is run, and
// has no grain.
tmc::task<void> loop_many(std::uint64_t* numbers, std::uint64_t n) {
  const auto make_child = [numbers](std::uint64_t i) { return child(numbers, i); };
  co_await tmc::spawn_many(tmc::iter_adapter(std::uint64_t{0}, make_child), n);
}

[[maybe_unused]] const bool enrolled =
    enroll<irregular_loop_problem, tmc_session>(
        "group", [](auto& session, auto& p) { run_irregular_loop(session, p, loop_group); }) &&
    enroll<irregular_loop_problem, tmc_session>(
        "many", [](auto& session, auto& p) { run_irregular_loop(session, p, loop_many); });

}  // namespace
}  // namespace nopal_bench
