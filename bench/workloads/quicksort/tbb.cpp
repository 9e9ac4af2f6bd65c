// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/parallel_invoke.h>

#include "quicksort.hpp"

namespace nopal_bench {
namespace {

void quicksort(int* first, int* last) {
  if (last - first <= quicksort_cutoff) {
    insertion_sort(first, last);
    return;
  }
  int* middle = partition(first, last);
  tbb::parallel_invoke([=] { quicksort(first, middle); }, [=] { quicksort(middle, last); });
}

[[maybe_unused]] const bool enrolled =
    enroll<quicksort_problem, tbb_session>("invoke", [](auto& session, auto& p) {
      session.run(quicksort, p.begin(), p.end());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
