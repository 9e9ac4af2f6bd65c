// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "quicksort.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED void quicksort(int* first, int* last) {
  if (last - first <= quicksort_cutoff) {
    insertion_sort(first, last);
    return;
  }
  int* middle = partition(first, last);
  quicksort(first, middle);
  quicksort(middle, last);
}

[[maybe_unused]] const bool enrolled =
    enroll<quicksort_problem, serial_session>("", [](auto& session, auto& p) {
      session.run(quicksort, p.begin(), p.end());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
