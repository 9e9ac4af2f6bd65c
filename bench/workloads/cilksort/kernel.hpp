// SPDX-License-Identifier: Apache-2.0
#include "cilksort.hpp"
#include "harness/runtimes/kernel.hpp"

namespace nopal_bench {
namespace {

BENCH_KERNEL(void, merge, (sorted_run a, sorted_run b, int* out)) {
  if (a.length() + b.length() <= cilkmerge_cutoff) {
    merge_runs(a, b, out);
    BENCH_RETURN;
  }
  const cut_merge cut(a, b, out);
  BENCH_FORK_TWO(merge, (cut.low_a, cut.low_b, out), merge, (cut.high_a, cut.high_b, cut.high_out));
}

BENCH_KERNEL(void, sort, (int* first, int* last, int* scratch)) {
  if (last - first <= cilksort_cutoff) {
    sort_short(first, last);
    BENCH_RETURN;
  }
  const cut_sort cut(first, last, scratch);
  BENCH_FORK_FOUR(sort, (cut.at[0], cut.at[1], cut.other[0]), (cut.at[1], cut.at[2], cut.other[1]),
                  (cut.at[2], cut.at[3], cut.other[2]), (cut.at[3], cut.at[4], cut.other[3]));
  BENCH_FORK_TWO(merge, (cut.quarter(0), cut.quarter(1), cut.other[0]), merge,
                 (cut.quarter(2), cut.quarter(3), cut.other[2]));
  BENCH_CALL(merge, (cut.low_half(), cut.high_half(), first));
}

[[maybe_unused]] const bool enrolled = enroll_kernel<cilksort_problem, widest::few>(
    [](auto& session, auto& p) { run_cilksort(session, p, sort); });

}  // namespace
}  // namespace nopal_bench
