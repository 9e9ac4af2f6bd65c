// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/nopal.hpp"

#include <numeric>

#include "nqueens.hpp"

namespace nopal_bench {
namespace {

std::uint64_t nqueens_invoke(const board& from, unsigned row, unsigned n);

// Closures fork in pairs, so a loop becomes a tree over its range.
std::uint64_t nqueens_range(const board* first, const board* last, unsigned row, unsigned n) {
  if (last - first == 1) {
    return nqueens_invoke(*first, row, n);
  }
  const board* middle = first + (last - first) / 2;
  const auto [left, right] =
      nopal::parallel_invoke([=] { return nqueens_range(first, middle, row, n); },
                             [=] { return nqueens_range(middle, last, row, n); });
  return left + right;
}

std::uint64_t nqueens_invoke(const board& from, unsigned row, unsigned n) {
  if (row == n) {
    return 1;
  }
  boards next;
  const unsigned count = place_queen(from, row, n, next);
  return count == 0 ? 0 : nqueens_range(next.data(), next.data() + count, row + 1, n);
}

NOPAL_FORKS std::uint64_t nqueens_frame(const board& from, unsigned row, unsigned n) {
  if (row == n) {
    return 1;
  }
  nopal::fork_frame frame;
  boards next;
  std::array<std::uint64_t, most_queens> parts;
  const unsigned count = place_queen(from, row, n, next);
  for (unsigned i = 0; i < count; ++i) {
    frame.fork(&parts[i], nqueens_frame, next[i], row + 1, n);
  }
  frame.join();
  return std::accumulate(parts.begin(), parts.begin() + count, std::uint64_t{0});
}

[[maybe_unused]] const bool enrolled =
    enroll<nqueens_problem, nopal_session>(
        "invoke",
        [](auto& session, auto& p) { p.result = session.run(nqueens_invoke, board{}, 0U, p.n); }) &&
    enroll<nqueens_problem, nopal_session>("frame", [](auto& session, auto& p) {
      p.result = session.run(nqueens_frame, board{}, 0U, p.n);
    });

}  // namespace
}  // namespace nopal_bench
