// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/lace.hpp"

#include "fib.hpp"

namespace nopal_bench {
namespace {

TASK_1(std::uint64_t, fib_lace, unsigned, n) {
  if (n < 2) {
    return n;
  }
  SPAWN(fib_lace, n - 1);
  const std::uint64_t b = CALL(fib_lace, n - 2);
  const std::uint64_t a = SYNC(fib_lace);
  return a + b;
}

[[maybe_unused]] const bool enrolled = enroll<fib_problem, lace_session>(
    "spawn", [](auto&, auto& p) { p.result = RUN(fib_lace, unsigned{p.n}); });

}  // namespace
}  // namespace nopal_bench
