// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include <cstddef>
#include <functional>

#include "scan.hpp"

namespace nopal_bench {
namespace {

void running_sums(const double* numbers, double* sums, std::size_t n) {
  nopal::scan(numbers, numbers + n, sums, std::plus<>{});
}

[[maybe_unused]] const bool enrolled = enroll<scan_problem, nopal_session>(
    "invoke", [](auto& session, auto& p) { run_scan(session, p, running_sums); });

}  // namespace
}  // namespace nopal_bench
