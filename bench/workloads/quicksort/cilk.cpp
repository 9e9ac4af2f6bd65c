// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/opencilk.hpp"
#include "quicksort.hpp"

namespace nopal_bench {
namespace {

void quicksort(int* first, int* last) {
  if (last - first <= quicksort_cutoff) {
    insertion_sort(first, last);
    return;
  }
  int* middle = partition(first, last);
  cilk_scope {
    cilk_spawn quicksort(first, middle);
    quicksort(middle, last);
  }
}

[[maybe_unused]] const bool enrolled =
    enroll<quicksort_problem, opencilk_session>("", [](auto& session, auto& p) {
      session.run(quicksort, p.begin(), p.end());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
