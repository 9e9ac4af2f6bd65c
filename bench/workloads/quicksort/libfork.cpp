// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "quicksort.hpp"

namespace nopal_bench {
namespace {

constexpr auto quicksort = [](auto quicksort, int* first, int* last)
                               LF_STATIC_CALL -> lf::task<void> {
  if (last - first <= quicksort_cutoff) {
    insertion_sort(first, last);
    co_return;
  }
  int* middle = partition(first, last);
  co_await lf::fork(quicksort)(first, middle);
  co_await lf::call(quicksort)(middle, last);
  co_await lf::join;
};

constexpr auto kernel = [](auto& session, quicksort_problem& p) {
  session.run(quicksort, p.begin(), p.end());
  p.result = true;
};

[[maybe_unused]] const bool enrolled = enroll<quicksort_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<quicksort_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
