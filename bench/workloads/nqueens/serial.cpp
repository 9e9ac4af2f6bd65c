// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/serial.hpp"

#include "nqueens.hpp"

namespace nopal_bench {
namespace {

NOPAL_BENCH_CALLED std::uint64_t nqueens(const board& from, unsigned row, unsigned n) {
  if (row == n) {
    return 1;
  }
  boards next;
  const unsigned count = place_queen(from, row, n, next);
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < count; ++i) {
    sum += nqueens(next[i], row + 1, n);
  }
  return sum;
}

[[maybe_unused]] const bool enrolled = enroll<nqueens_problem, serial_session>(
    "", [](auto& session, auto& p) { p.result = session.run(nqueens, board{}, 0U, p.n); });

}  // namespace
}  // namespace nopal_bench
