// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/lace.hpp"

#include "cilksort.hpp"

namespace nopal_bench {
namespace {

VOID_TASK_3(merge_lace, sorted_run, a, sorted_run, b, int*, out) {
  if (a.length() + b.length() <= cilkmerge_cutoff) {
    merge_runs(a, b, out);
    return;
  }
  const cut_merge cut(a, b, out);
  SPAWN(merge_lace, cut.low_a, cut.low_b, out);
  CALL(merge_lace, cut.high_a, cut.high_b, cut.high_out);
  SYNC(merge_lace);
}

VOID_TASK_3(sort_lace, int*, first, int*, last, int*, scratch) {
  if (last - first <= cilksort_cutoff) {
    sort_short(first, last);
    return;
  }
  const cut_sort cut(first, last, scratch);
  SPAWN(sort_lace, cut.at[0], cut.at[1], cut.other[0]);
  SPAWN(sort_lace, cut.at[1], cut.at[2], cut.other[1]);
  SPAWN(sort_lace, cut.at[2], cut.at[3], cut.other[2]);
  CALL(sort_lace, cut.at[3], cut.at[4], cut.other[3]);
  SYNC(sort_lace);
  SYNC(sort_lace);
  SYNC(sort_lace);
  SPAWN(merge_lace, cut.quarter(0), cut.quarter(1), cut.other[0]);
  CALL(merge_lace, cut.quarter(2), cut.quarter(3), cut.other[2]);
  SYNC(merge_lace);
  CALL(merge_lace, cut.low_half(), cut.high_half(), first);
}

void sort(int* first, int* last, int* scratch) { RUN(sort_lace, first, last, scratch); }

[[maybe_unused]] const bool enrolled = enroll<cilksort_problem, lace_session>(
    "spawn", [](auto& session, auto& p) { run_cilksort(session, p, sort); });

}  // namespace
}  // namespace nopal_bench
