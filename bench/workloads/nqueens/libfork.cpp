// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/libfork.hpp"

#include <numeric>

#include "nqueens.hpp"

namespace nopal_bench {
namespace {

constexpr auto nqueens = [](auto nqueens, const board& from, unsigned row, unsigned n)
                             LF_STATIC_CALL -> lf::task<std::uint64_t> {
  if (row == n) {
    co_return 1;
  }
  boards next;
  std::array<std::uint64_t, most_queens> parts;
  const unsigned count = place_queen(from, row, n, next);
  for (unsigned i = 0; i < count; ++i) {
    co_await lf::fork(&parts[i], nqueens)(next[i], row + 1, n);
  }
  co_await lf::join;
  co_return std::accumulate(parts.begin(), parts.begin() + count, std::uint64_t{0});
};

constexpr auto kernel = [](auto& session, nqueens_problem& p) {
  const board empty{};
  p.result = session.run(nqueens, empty, 0U, p.n);
};

[[maybe_unused]] const bool enrolled = enroll<nqueens_problem, libfork_lazy>("lazy", kernel) &&
                                       enroll<nqueens_problem, libfork_busy>("busy", kernel);

}  // namespace
}  // namespace nopal_bench
