// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include "cilksort.hpp"

namespace nopal_bench {
namespace {

void merge_invoke(sorted_run a, sorted_run b, int* out) {
  if (a.length() + b.length() <= cilkmerge_cutoff) {
    merge_runs(a, b, out);
    return;
  }
  const cut_merge cut(a, b, out);
  nopal::parallel_invoke([&] { merge_invoke(cut.low_a, cut.low_b, out); },
                         [&] { merge_invoke(cut.high_a, cut.high_b, cut.high_out); });
}

void sort_invoke(int* first, int* last, int* scratch) {
  if (last - first <= cilksort_cutoff) {
    sort_short(first, last);
    return;
  }
  const cut_sort cut(first, last, scratch);
  nopal::parallel_invoke([&] { sort_invoke(cut.at[0], cut.at[1], cut.other[0]); },
                         [&] { sort_invoke(cut.at[1], cut.at[2], cut.other[1]); },
                         [&] { sort_invoke(cut.at[2], cut.at[3], cut.other[2]); },
                         [&] { sort_invoke(cut.at[3], cut.at[4], cut.other[3]); });
  nopal::parallel_invoke([&] { merge_invoke(cut.quarter(0), cut.quarter(1), cut.other[0]); },
                         [&] { merge_invoke(cut.quarter(2), cut.quarter(3), cut.other[2]); });
  merge_invoke(cut.low_half(), cut.high_half(), first);
}

NOPAL_FORKS void merge_frame(sorted_run a, sorted_run b, int* out) {
  if (a.length() + b.length() <= cilkmerge_cutoff) {
    merge_runs(a, b, out);
    return;
  }
  nopal::fork_frame frame;
  const cut_merge cut(a, b, out);
  frame.fork(merge_frame, cut.low_a, cut.low_b, out);
  merge_frame(cut.high_a, cut.high_b, cut.high_out);
  frame.join();
}

NOPAL_FORKS void sort_frame(int* first, int* last, int* scratch) {
  if (last - first <= cilksort_cutoff) {
    sort_short(first, last);
    return;
  }
  nopal::fork_frame frame;
  const cut_sort cut(first, last, scratch);
  for (std::size_t i = 0; i < 3; ++i) {
    frame.fork(sort_frame, cut.at[i], cut.at[i + 1], cut.other[i]);
  }
  sort_frame(cut.at[3], cut.at[4], cut.other[3]);
  frame.join();
  frame.fork(merge_frame, cut.quarter(0), cut.quarter(1), cut.other[0]);
  merge_frame(cut.quarter(2), cut.quarter(3), cut.other[2]);
  frame.join();
  merge_frame(cut.low_half(), cut.high_half(), first);
}

[[maybe_unused]] const bool enrolled =
    enroll<cilksort_problem, nopal_session>(
        "invoke", [](auto& session, auto& p) { run_cilksort(session, p, sort_invoke); }) &&
    enroll<cilksort_problem, nopal_session>(
        "frame", [](auto& session, auto& p) { run_cilksort(session, p, sort_frame); });

}  // namespace
}  // namespace nopal_bench
