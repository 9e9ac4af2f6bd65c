// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "fibx.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED std::uint64_t fibx(int n) {
  if (n < 2) {
    return 1;
  }
  return fibx(n - 1) + fibx(n - fibx_gap);
}

[[maybe_unused]] const bool enrolled = enroll<fibx_problem, serial_session>(
    "", [](auto& session, auto& p) { p.result = session.run(fibx, p.n); });

}  // namespace
}  // namespace nopal_bench
