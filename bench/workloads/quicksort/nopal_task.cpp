// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"
#include "quicksort.hpp"

namespace nopal_bench {
namespace {

nopal::task<> quicksort_task(int* first, int* last) {
  if (last - first <= quicksort_cutoff) {
    insertion_sort(first, last);
    co_return;
  }
  int* middle = partition(first, last);
  co_await nopal::fork(quicksort_task, first, middle);
  co_await nopal::call(quicksort_task, middle, last);
  co_await nopal::join();
}

[[maybe_unused]] const bool enrolled =
    enroll<quicksort_problem, nopal_session>("task", [](auto& session, auto& p) {
      session.run(quicksort_task, p.begin(), p.end());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
