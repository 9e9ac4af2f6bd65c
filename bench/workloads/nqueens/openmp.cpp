// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/openmp.hpp"

#include <numeric>

#include "nqueens.hpp"

namespace nopal_bench {
namespace {

std::uint64_t nqueens(const board& from, unsigned row, unsigned n) {
  if (row == n) {
    return 1;
  }
  boards next;
  std::array<std::uint64_t, most_queens> parts;
  const unsigned count = place_queen(from, row, n, next);
  for (unsigned i = 0; i < count; ++i) {
#pragma omp task default(none) shared(next, parts) firstprivate(i, row, n)
    parts[i] = nqueens(next[i], row + 1, n);
  }
#pragma omp taskwait
  return std::accumulate(parts.begin(), parts.begin() + count, std::uint64_t{0});
}

[[maybe_unused]] const bool enrolled = enroll<nqueens_problem, openmp_session>(
    "", [](auto& session, auto& p) { p.result = session.run(nqueens, board{}, 0U, p.n); });

}  // namespace
}  // namespace nopal_bench
