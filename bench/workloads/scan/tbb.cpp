// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_scan.h>

#include <cstddef>
#include <functional>

#include "scan.hpp"

namespace nopal_bench {
namespace {

void running_sums(const double* numbers, double* sums, std::size_t n) {
  tbb::parallel_scan(
      tbb::blocked_range<std::size_t>(0, n), 0.0,
      [=](const tbb::blocked_range<std::size_t>& r, double total, bool is_final) {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
          total += numbers[i];
          if (is_final) {
            sums[i] = total;
          }
        }
        return total;
      },
      std::plus<>{});
}

[[maybe_unused]] const bool enrolled = enroll<scan_problem, tbb_session>(
    "for", [](auto& session, auto& p) { run_scan(session, p, running_sums); });

}  // namespace
}  // namespace nopal_bench
