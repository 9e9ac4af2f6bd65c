// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "harness/sessions/nopal.hpp"
#include "nqueens.hpp"

namespace nopal_bench {
namespace {

nopal::task<std::uint64_t> nqueens_task(const board& from, unsigned row, unsigned n) {
  if (row == n) {
    co_return 1;
  }
  boards next;
  std::array<std::uint64_t, most_queens> parts;
  const unsigned count = place_queen(from, row, n, next);
  for (unsigned i = 0; i < count; ++i) {
    co_await nopal::fork(&parts[i], nqueens_task, next[i], row + 1, n);
  }
  co_await nopal::join();
  co_return std::accumulate(parts.begin(), parts.begin() + count, std::uint64_t{0});
}

[[maybe_unused]] const bool enrolled =
    enroll<nqueens_problem, nopal_session>("task", [](auto& session, auto& p) {
      const board empty{};
      p.result = session.run(nqueens_task, empty, 0U, p.n);
    });

}  // namespace
}  // namespace nopal_bench
