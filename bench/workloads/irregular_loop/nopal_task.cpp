// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"
#include "irregular_loop.hpp"

namespace nopal_bench {
namespace {

nopal::task<> child_task(std::uint64_t* numbers, std::uint64_t i) {
  irregular_child(numbers, i);
  co_return;
}

nopal::task<> loop_task(std::uint64_t* numbers, std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) {
    co_await nopal::fork(child_task, numbers, i);
  }
  co_await nopal::join();
}

[[maybe_unused]] const bool enrolled = enroll<irregular_loop_problem, nopal_session>(
    "task", [](auto& session, auto& p) { run_irregular_loop(session, p, loop_task); });

}  // namespace
}  // namespace nopal_bench
