// SPDX-License-Identifier: Apache-2.0
#include "fibx.hpp"
#include "harness/runtimes/kernel.hpp"

namespace nopal_bench {
namespace {

BENCH_KERNEL(std::uint64_t, fibx, (int n)) {
  if (n < 2) {
    BENCH_RETURN 1;
  }
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  BENCH_FORK_TWO_TO(a, fibx, (n - 1), b, fibx, (n - fibx_gap));
  BENCH_RETURN a + b;
}

[[maybe_unused]] const bool enrolled = enroll_kernel<fibx_problem, widest::two>(
    [](auto& session, auto& p) { p.result = session.run(fibx, int{p.n}); });

}  // namespace
}  // namespace nopal_bench
