// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/lace.hpp"

#include "nqueens.hpp"

namespace nopal_bench {
namespace {

// A task finds its board in the caller's frame.
TASK_3(std::uint64_t, nqueens_lace, const board*, from, unsigned, row, unsigned, n) {
  if (row == n) {
    return 1;
  }
  boards next;
  const unsigned count = place_queen(*from, row, n, next);
  if (count == 0) {
    return 0;
  }
  for (unsigned i = 1; i < count; ++i) {
    SPAWN(nqueens_lace, &next[i], row + 1, n);
  }
  std::uint64_t sum = CALL(nqueens_lace, &next[0], row + 1, n);
  for (unsigned i = 1; i < count; ++i) {
    sum += SYNC(nqueens_lace);
  }
  return sum;
}

[[maybe_unused]] const bool enrolled =
    enroll<nqueens_problem, lace_session>("spawn", [](auto&, auto& p) {
      const board empty{};
      p.result = RUN(nqueens_lace, &empty, 0U, unsigned{p.n});
    });

}  // namespace
}  // namespace nopal_bench
