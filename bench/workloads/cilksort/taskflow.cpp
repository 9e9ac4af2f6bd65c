// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/taskflow.hpp"

#include "cilksort.hpp"

namespace nopal_bench {
namespace {

void merge(sorted_run a, sorted_run b, int* out) {
  if (a.length() + b.length() <= cilkmerge_cutoff) {
    merge_runs(a, b, out);
    return;
  }
  const cut_merge cut(a, b, out);
  tf::TaskGroup group = taskflow_group();
  group.silent_async([&cut, out] { merge(cut.low_a, cut.low_b, out); });
  merge(cut.high_a, cut.high_b, cut.high_out);
  group.corun();
}

void sort(int* first, int* last, int* scratch) {
  if (last - first <= cilksort_cutoff) {
    sort_short(first, last);
    return;
  }
  const cut_sort cut(first, last, scratch);
  tf::TaskGroup group = taskflow_group();
  for (std::size_t i = 0; i < 3; ++i) {
    group.silent_async([&cut, i] { sort(cut.at[i], cut.at[i + 1], cut.other[i]); });
  }
  sort(cut.at[3], cut.at[4], cut.other[3]);
  group.corun();
  group.silent_async([&cut] { merge(cut.quarter(0), cut.quarter(1), cut.other[0]); });
  merge(cut.quarter(2), cut.quarter(3), cut.other[2]);
  group.corun();
  merge(cut.low_half(), cut.high_half(), first);
}

[[maybe_unused]] const bool enrolled = enroll<cilksort_problem, taskflow_session>(
    "group", [](auto& session, auto& p) { run_cilksort(session, p, sort); });

}  // namespace
}  // namespace nopal_bench
