// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/fork_group.hpp>

#include "loop.hpp"

namespace nopal_bench {
namespace {

tmc::task<void> child(std::atomic<std::uint64_t>* total, std::uint64_t i) {
  loop_child(total, i);
  co_return;
}

tmc::task<void> loop(std::atomic<std::uint64_t>* total, std::uint64_t n) {
  auto group = tmc::fork_group();
  for (std::uint64_t i = 0; i < n; ++i) {
    group.fork(child(total, i));
  }
  co_await std::move(group);
}

[[maybe_unused]] const bool enrolled = enroll<loop_problem, tmc_session>(
    "group", [](auto& session, auto& p) { run_loop(session, p, loop); });

}  // namespace
}  // namespace nopal_bench
