// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <numeric>
#include <ranges>
#include <tmc/spawn_many.hpp>

#include "nqueens.hpp"

namespace nopal_bench {
namespace {

// spawn_many gets two iterators and the most that they can yield: the results are then an array, so
// nothing is allocated.
tmc::task<std::uint64_t> nqueens(const board* from, unsigned row, unsigned n) {
  if (row == n) {
    co_return 1;
  }
  boards next;
  const unsigned count = place_queen(*from, row, n, next);
  const auto children =
      std::views::iota(0U, count) |
      std::views::transform([&next, row, n](unsigned i) { return nqueens(&next[i], row + 1, n); });
  const auto parts = co_await tmc::spawn_many<most_queens>(children.begin(), children.end());
  co_return std::accumulate(parts.begin(), parts.begin() + count, std::uint64_t{0});
}

[[maybe_unused]] const bool enrolled =
    enroll<nqueens_problem, tmc_session>("many", [](auto& session, auto& p) {
      const board empty{};
      p.result = session.run(nqueens, &empty, 0U, p.n);
    });

}  // namespace
}  // namespace nopal_bench
