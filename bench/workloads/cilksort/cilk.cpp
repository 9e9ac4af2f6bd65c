// SPDX-License-Identifier: Apache-2.0
#include "cilksort.hpp"
#include "harness/sessions/opencilk.hpp"

namespace nopal_bench {
namespace {

void merge(sorted_run a, sorted_run b, int* out) {
  if (a.length() + b.length() <= cilkmerge_cutoff) {
    merge_runs(a, b, out);
    return;
  }
  const cut_merge cut(a, b, out);
  cilk_scope {
    cilk_spawn merge(cut.low_a, cut.low_b, out);
    merge(cut.high_a, cut.high_b, cut.high_out);
  }
}

void sort(int* first, int* last, int* scratch) {
  if (last - first <= cilksort_cutoff) {
    sort_short(first, last);
    return;
  }
  const cut_sort cut(first, last, scratch);
  cilk_scope {
    for (std::size_t i = 0; i < 3; ++i) {
      cilk_spawn sort(cut.at[i], cut.at[i + 1], cut.other[i]);
    }
    sort(cut.at[3], cut.at[4], cut.other[3]);
  }
  cilk_scope {
    cilk_spawn merge(cut.quarter(0), cut.quarter(1), cut.other[0]);
    merge(cut.quarter(2), cut.quarter(3), cut.other[2]);
  }
  merge(cut.low_half(), cut.high_half(), first);
}

[[maybe_unused]] const bool enrolled = enroll<cilksort_problem, opencilk_session>(
    "", [](auto& session, auto& p) { run_cilksort(session, p, sort); });

}  // namespace
}  // namespace nopal_bench
