// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "cilksort.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED void merge(sorted_run a, sorted_run b, int* out) {
  if (a.length() + b.length() <= cilkmerge_cutoff) {
    merge_runs(a, b, out);
    return;
  }
  const cut_merge cut(a, b, out);
  merge(cut.low_a, cut.low_b, out);
  merge(cut.high_a, cut.high_b, cut.high_out);
}

NOPAL_BENCH_CALLED void sort(int* first, int* last, int* scratch) {
  if (last - first <= cilksort_cutoff) {
    sort_short(first, last);
    return;
  }
  const cut_sort cut(first, last, scratch);
  for (std::size_t i = 0; i < 4; ++i) {
    sort(cut.at[i], cut.at[i + 1], cut.other[i]);
  }
  merge(cut.quarter(0), cut.quarter(1), cut.other[0]);
  merge(cut.quarter(2), cut.quarter(3), cut.other[2]);
  merge(cut.low_half(), cut.high_half(), first);
}

[[maybe_unused]] const bool enrolled = enroll<cilksort_problem, serial_session>(
    "", [](auto& session, auto& p) { run_cilksort(session, p, sort); });

}  // namespace
}  // namespace nopal_bench
