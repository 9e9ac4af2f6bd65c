// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include <cstddef>

#include "scan.hpp"

namespace nopal_bench {
namespace {

// clang++ does not compile this: its programs keep all partial sums of a scan on the stack, and
// 10^8 of them overflow it.
#if !defined(__clang__)

#pragma GCC diagnostic ignored \
    "-Wmaybe-uninitialized"  // in what g++ 12 itself makes of the directive

void running_sums(openmp_session& session, scan_problem& p) {
  const double* numbers = p.numbers.data();
  double* sums = p.sums.data();
  const std::size_t n = p.numbers.size();
  double total = 0;
#pragma omp parallel for default(none) shared(numbers, sums, n) num_threads(session.workers()) \
    reduction(inscan, + : total)
  for (std::size_t i = 0; i < n; ++i) {
    total += numbers[i];
#pragma omp scan inclusive(total)
    sums[i] = total;
  }
  p.result = true;
}

[[maybe_unused]] const bool enrolled = enroll<scan_problem, openmp_session>("for", running_sums);

#endif

}  // namespace
}  // namespace nopal_bench
