// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "loop.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED void child(std::atomic<std::uint64_t>* total, std::uint64_t i) {
  loop_child(total, i);
}

void loop(std::atomic<std::uint64_t>* total, std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) {
    child(total, i);
  }
}

[[maybe_unused]] const bool enrolled = enroll<loop_problem, serial_session>(
    "", [](auto& session, auto& p) { run_loop(session, p, loop); });

}  // namespace
}  // namespace nopal_bench
