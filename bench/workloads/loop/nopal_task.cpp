// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"
#include "loop.hpp"

namespace nopal_bench {
namespace {

nopal::task<> child_task(std::atomic<std::uint64_t>* total, std::uint64_t i) {
  loop_child(total, i);
  co_return;
}

nopal::task<> loop_task(std::atomic<std::uint64_t>* total, std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) {
    co_await nopal::fork(child_task, total, i);
  }
  co_await nopal::join();
}

[[maybe_unused]] const bool enrolled = enroll<loop_problem, nopal_session>(
    "task", [](auto& session, auto& p) { run_loop(session, p, loop_task); });

}  // namespace
}  // namespace nopal_bench
