// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include "quicksort.hpp"

namespace nopal_bench {
namespace {

void quicksort_invoke(int* first, int* last) {
  if (last - first <= quicksort_cutoff) {
    insertion_sort(first, last);
    return;
  }
  int* middle = partition(first, last);
  nopal::parallel_invoke([=] { quicksort_invoke(first, middle); },
                         [=] { quicksort_invoke(middle, last); });
}

NOPAL_FORKS void quicksort_frame(int* first, int* last) {
  if (last - first <= quicksort_cutoff) {
    insertion_sort(first, last);
    return;
  }
  int* middle = partition(first, last);
  nopal::fork_frame frame;
  frame.fork(quicksort_frame, first, middle);
  quicksort_frame(middle, last);
  frame.join();
}

[[maybe_unused]] const bool enrolled =
    enroll<quicksort_problem, nopal_session>("invoke",
                                             [](auto& session, auto& p) {
                                               session.run(quicksort_invoke, p.begin(), p.end());
                                               p.result = true;
                                             }) &&
    enroll<quicksort_problem, nopal_session>("frame", [](auto& session, auto& p) {
      session.run(quicksort_frame, p.begin(), p.end());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
