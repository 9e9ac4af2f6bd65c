// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include "cilksort.hpp"

namespace nopal_bench {
namespace {

constexpr auto merge = [](auto merge, sorted_run a, sorted_run b, int* out)
                           LF_STATIC_CALL -> lf::task<void> {
  if (a.length() + b.length() <= cilkmerge_cutoff) {
    merge_runs(a, b, out);
    co_return;
  }
  const cut_merge cut(a, b, out);
  co_await lf::fork(merge)(cut.low_a, cut.low_b, out);
  co_await lf::call(merge)(cut.high_a, cut.high_b, cut.high_out);
  co_await lf::join;
};

constexpr auto sort = [](auto sort, int* first, int* last, int* scratch)
                          LF_STATIC_CALL -> lf::task<void> {
  if (last - first <= cilksort_cutoff) {
    sort_short(first, last);
    co_return;
  }
  const cut_sort cut(first, last, scratch);
  for (std::size_t i = 0; i < 3; ++i) {
    co_await lf::fork(sort)(cut.at[i], cut.at[i + 1], cut.other[i]);
  }
  co_await lf::call(sort)(cut.at[3], cut.at[4], cut.other[3]);
  co_await lf::join;
  co_await lf::fork(merge)(cut.quarter(0), cut.quarter(1), cut.other[0]);
  co_await lf::call(merge)(cut.quarter(2), cut.quarter(3), cut.other[2]);
  co_await lf::join;
  co_await lf::call(merge)(cut.low_half(), cut.high_half(), first);
  co_await lf::join;
};

constexpr auto kernel = [](auto& session, cilksort_problem& p) { run_cilksort(session, p, sort); };

[[maybe_unused]] const bool enrolled = enroll<cilksort_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<cilksort_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
