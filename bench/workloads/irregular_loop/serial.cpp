// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "irregular_loop.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED void child(std::uint64_t* numbers, std::uint64_t i) {
  irregular_child(numbers, i);
}

void loop(std::uint64_t* numbers, std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i) {
    child(numbers, i);
  }
}

[[maybe_unused]] const bool enrolled = enroll<irregular_loop_problem, serial_session>(
    "", [](auto& session, auto& p) { run_irregular_loop(session, p, loop); });

}  // namespace
}  // namespace nopal_bench
