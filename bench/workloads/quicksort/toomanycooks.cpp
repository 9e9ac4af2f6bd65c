// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn.hpp>

#include "quicksort.hpp"

namespace nopal_bench {
namespace {

tmc::task<void> quicksort(int* first, int* last) {
  if (last - first <= quicksort_cutoff) {
    insertion_sort(first, last);
    co_return;
  }
  int* middle = partition(first, last);
  auto left = co_await tmc::fork_clang(quicksort(first, middle));
  co_await quicksort(middle, last);
  co_await std::move(left);
}

[[maybe_unused]] const bool enrolled =
    enroll<quicksort_problem, tmc_session>("fork", [](auto& session, auto& p) {
      session.run(quicksort, p.begin(), p.end());
      p.result = true;
    });

}  // namespace
}  // namespace nopal_bench
