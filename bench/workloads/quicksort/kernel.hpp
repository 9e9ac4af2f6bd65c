// SPDX-License-Identifier: Apache-2.0
#include "harness/runtimes/kernel.hpp"
#include "quicksort.hpp"

namespace nopal_bench {
namespace {

BENCH_KERNEL(void, quicksort, (int* first, int* last)) {
  if (last - first <= quicksort_cutoff) {
    insertion_sort(first, last);
    BENCH_RETURN;
  }
  int* middle = partition(first, last);
  BENCH_FORK_TWO(quicksort, (first, middle), quicksort, (middle, last));
}

[[maybe_unused]] const bool enrolled =
    enroll_kernel<quicksort_problem, widest::two>([](auto& session, auto& p) {
      session.run(quicksort, p.begin(), p.end());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
