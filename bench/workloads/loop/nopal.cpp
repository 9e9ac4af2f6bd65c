// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include "loop.hpp"

namespace nopal_bench {
namespace {

NOPAL_FORKS void loop(std::atomic<std::uint64_t>* total, std::uint64_t n) {
  nopal::fork_frame frame;
  for (std::uint64_t i = 0; i < n; ++i) {
    frame.fork(loop_child, total, i);
  }
  frame.join();
}

[[maybe_unused]] const bool enrolled = enroll<loop_problem, nopal_session>(
    "frame", [](auto& session, auto& p) { run_loop(session, p, loop); });

}  // namespace
}  // namespace nopal_bench
