// SPDX-License-Identifier: Apache-2.0
#include "cilksort.hpp"
#include "harness/sessions/nopal.hpp"

namespace nopal_bench {
namespace {

nopal::task<> merge_task(sorted_run a, sorted_run b, int* out) {
  if (a.length() + b.length() <= cilkmerge_cutoff) {
    merge_runs(a, b, out);
    co_return;
  }
  const cut_merge cut(a, b, out);
  co_await nopal::fork(merge_task, cut.low_a, cut.low_b, out);
  co_await nopal::call(merge_task, cut.high_a, cut.high_b, cut.high_out);
  co_await nopal::join();
}

nopal::task<> sort_task(int* first, int* last, int* scratch) {
  if (last - first <= cilksort_cutoff) {
    sort_short(first, last);
    co_return;
  }
  const cut_sort cut(first, last, scratch);
  for (std::size_t i = 0; i < 3; ++i) {
    co_await nopal::fork(sort_task, cut.at[i], cut.at[i + 1], cut.other[i]);
  }
  co_await nopal::call(sort_task, cut.at[3], cut.at[4], cut.other[3]);
  co_await nopal::join();
  co_await nopal::fork(merge_task, cut.quarter(0), cut.quarter(1), cut.other[0]);
  co_await nopal::call(merge_task, cut.quarter(2), cut.quarter(3), cut.other[2]);
  co_await nopal::join();
  co_await nopal::call(merge_task, cut.low_half(), cut.high_half(), first);
}

[[maybe_unused]] const bool enrolled = enroll<cilksort_problem, nopal_session>(
    "task", [](auto& session, auto& p) { run_cilksort(session, p, sort_task); });

}  // namespace
}  // namespace nopal_bench
