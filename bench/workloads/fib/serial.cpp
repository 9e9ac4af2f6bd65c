// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "fib.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED std::uint64_t fib(unsigned n) {
  if (n < 2) {
    return n;
  }
  return fib(n - 1) + fib(n - 2);
}

[[maybe_unused]] const bool enrolled = enroll<fib_problem, serial_session>(
    "", [](auto& session, auto& p) { p.result = session.run(fib, p.n); });

}  // namespace
}  // namespace nopal_bench
