// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn.hpp>
#include <tmc/spawn_tuple.hpp>

#include "cilksort.hpp"

namespace nopal_bench {
namespace {

tmc::task<void> merge(sorted_run a, sorted_run b, int* out) {
  if (a.length() + b.length() <= cilkmerge_cutoff) {
    merge_runs(a, b, out);
    co_return;
  }
  const cut_merge cut(a, b, out);
  auto low = co_await tmc::fork_clang(merge(cut.low_a, cut.low_b, out));
  co_await merge(cut.high_a, cut.high_b, cut.high_out);
  co_await std::move(low);
}

tmc::task<void> sort(int* first, int* last, int* scratch) {
  if (last - first <= cilksort_cutoff) {
    sort_short(first, last);
    co_return;
  }
  const cut_sort cut(first, last, scratch);
  co_await tmc::spawn_tuple(
      sort(cut.at[0], cut.at[1], cut.other[0]), sort(cut.at[1], cut.at[2], cut.other[1]),
      sort(cut.at[2], cut.at[3], cut.other[2]), sort(cut.at[3], cut.at[4], cut.other[3]));
  co_await tmc::spawn_tuple(merge(cut.quarter(0), cut.quarter(1), cut.other[0]),
                            merge(cut.quarter(2), cut.quarter(3), cut.other[2]));
  co_await merge(cut.low_half(), cut.high_half(), first);
}

[[maybe_unused]] const bool enrolled = enroll<cilksort_problem, tmc_session>(
    "tuple", [](auto& session, auto& p) { run_cilksort(session, p, sort); });

}  // namespace
}  // namespace nopal_bench
