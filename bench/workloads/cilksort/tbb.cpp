// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/tbb.hpp"

#include <tbb/parallel_invoke.h>

#include "cilksort.hpp"

namespace nopal_bench {
namespace {

void merge(sorted_run a, sorted_run b, int* out) {
  if (a.length() + b.length() <= cilkmerge_cutoff) {
    merge_runs(a, b, out);
    return;
  }
  const cut_merge cut(a, b, out);
  tbb::parallel_invoke([&] { merge(cut.low_a, cut.low_b, out); },
                       [&] { merge(cut.high_a, cut.high_b, cut.high_out); });
}

void sort(int* first, int* last, int* scratch) {
  if (last - first <= cilksort_cutoff) {
    sort_short(first, last);
    return;
  }
  const cut_sort cut(first, last, scratch);
  tbb::parallel_invoke([&] { sort(cut.at[0], cut.at[1], cut.other[0]); },
                       [&] { sort(cut.at[1], cut.at[2], cut.other[1]); },
                       [&] { sort(cut.at[2], cut.at[3], cut.other[2]); },
                       [&] { sort(cut.at[3], cut.at[4], cut.other[3]); });
  tbb::parallel_invoke([&] { merge(cut.quarter(0), cut.quarter(1), cut.other[0]); },
                       [&] { merge(cut.quarter(2), cut.quarter(3), cut.other[2]); });
  merge(cut.low_half(), cut.high_half(), first);
}

[[maybe_unused]] const bool enrolled = enroll<cilksort_problem, tbb_session>(
    "invoke", [](auto& session, auto& p) { run_cilksort(session, p, sort); });

}  // namespace
}  // namespace nopal_bench
