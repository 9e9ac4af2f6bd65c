// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include "quicksort.hpp"

namespace nopal_bench {
namespace {

void quicksort(int* first, int* last) {
  if (last - first <= quicksort_cutoff) {
    insertion_sort(first, last);
    return;
  }
  int* middle = partition(first, last);
#pragma omp task default(none) firstprivate(first, middle)
  quicksort(first, middle);
  quicksort(middle, last);
#pragma omp taskwait
}

[[maybe_unused]] const bool enrolled =
    enroll<quicksort_problem, openmp_session>("", [](auto& session, auto& p) {
      session.run(quicksort, p.begin(), p.end());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
