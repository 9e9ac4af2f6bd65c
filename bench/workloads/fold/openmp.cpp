// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include <cstddef>

#include "fold.hpp"

namespace nopal_bench {
namespace {

void sum(openmp_session& session, fold_problem& p) {
  const double* numbers = p.begin();
  const std::size_t n = p.numbers.size();
  double total = 0;
#pragma omp parallel for default(none) shared(numbers, n) num_threads(session.workers()) \
    reduction(+ : total)
  for (std::size_t i = 0; i < n; ++i) {
    total += numbers[i];
  }
  p.result = total;
}

// Does the same with permission to add in another order: vectors of numbers, dealt out in turns.
void sum_vectors(openmp_session& session, fold_problem& p) {
  const double* numbers = p.begin();
  const std::size_t n = p.numbers.size();
  double total = 0;
#pragma omp parallel for simd default(none) shared(numbers, n) num_threads(session.workers()) \
    reduction(+ : total)
  for (std::size_t i = 0; i < n; ++i) {
    total += numbers[i];
  }
  p.result = total;
}

[[maybe_unused]] const bool enrolled =
    enroll<fold_problem, openmp_session>("for", sum) &&
    enroll<fold_problem, openmp_session>("for-simd", sum_vectors);

}  // namespace
}  // namespace nopal_bench
