// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include <cstddef>

#include "scan.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED void running_sums(const double* numbers, double* sums, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) {
    total += numbers[i];
    sums[i] = total;
  }
}

[[maybe_unused]] const bool enrolled = enroll<scan_problem, serial_session>(
    "", [](auto& session, auto& p) { run_scan(session, p, running_sums); });

}  // namespace
}  // namespace nopal_bench
