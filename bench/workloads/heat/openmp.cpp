// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include "heat.hpp"

namespace nopal_bench {
namespace {

void diffuse(const heat_step& s, std::size_t first, std::size_t last) {
  if (last - first <= heat_cutoff) {
    diffuse_rows(s, first, last);
    return;
  }
  const std::size_t middle = first + (last - first) / 2;
#pragma omp task default(none) shared(s) firstprivate(first, middle)
  diffuse(s, first, middle);
  diffuse(s, middle, last);
#pragma omp taskwait
}

void heat_tasks(openmp_session& session, heat_problem& p) {
  session.run([&p] {
    for (std::size_t i = 0; i < p.steps; ++i) {
      diffuse(p.step(i), 1, p.n - 1);
    }
  });
  p.result = true;
}

// Uses no tasks, as OpenMP does loops best: each thread has the same rows in all steps.
void heat_for(openmp_session& session, heat_problem& p) {
#pragma omp parallel default(none) shared(p) num_threads(session.workers())
  for (std::size_t i = 0; i < p.steps; ++i) {
    const heat_step s = p.step(i);
#pragma omp for schedule(static)
    for (std::size_t row = 1; row < p.n - 1; ++row) {
      diffuse_row(s, row);
    }
  }
  p.result = true;
}

[[maybe_unused]] const bool enrolled = enroll<heat_problem, openmp_session>("", heat_tasks) &&
                                       enroll<heat_problem, openmp_session>("for", heat_for);

}  // namespace
}  // namespace nopal_bench
