// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <functional>

#include "fold.hpp"

namespace nopal_bench {
namespace {

using range = tbb::blocked_range<const double*>;

double add(const range& r, double total) {
  for (const double x : r) {
    total += x;
  }
  return total;
}

double sum(const double* first, const double* last) {
  return tbb::parallel_reduce(range(first, last), 0.0, add, std::plus<>{});
}

// Sums with the same bracketing each time, as nopal always does. The range is split down to the
// grain, which is nopal's.
double sum_deterministically(const double* first, const double* last) {
  return tbb::parallel_deterministic_reduce(range(first, last, 2048), 0.0, add, std::plus<>{});
}

[[maybe_unused]] const bool enrolled =
    enroll<fold_problem, tbb_session>("for",
                                      [](auto& session, auto& p) { run_fold(session, p, sum); }) &&
    enroll<fold_problem, tbb_session>("for-deterministic", [](auto& session, auto& p) {
      run_fold(session, p, sum_deterministically);
    });

}  // namespace
}  // namespace nopal_bench
