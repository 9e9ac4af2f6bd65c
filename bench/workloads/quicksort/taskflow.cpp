// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

#include "quicksort.hpp"

namespace nopal_bench {
namespace {

void quicksort(int* first, int* last) {
  if (last - first <= quicksort_cutoff) {
    insertion_sort(first, last);
    return;
  }
  int* middle = partition(first, last);
  tf::TaskGroup group = taskflow_group();
  group.silent_async([first, middle] { quicksort(first, middle); });
  quicksort(middle, last);
  group.corun();
}

[[maybe_unused]] const bool enrolled =
    enroll<quicksort_problem, taskflow_session>("group", [](auto& session, auto& p) {
      session.run(quicksort, p.begin(), p.end());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
