// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn_tuple.hpp>

#include "fibx.hpp"

namespace nopal_bench {
namespace {

// TooManyCooks' authors have two ways for such forks in their benchmarks. kernel.hpp has one of
// them, and this is the other.
tmc::task<std::uint64_t> fibx(int n) {
  if (n < 2) {
    co_return 1;
  }
  const auto [a, b] = co_await tmc::spawn_tuple(fibx(n - 1), fibx(n - fibx_gap));
  co_return a + b;
}

[[maybe_unused]] const bool enrolled = enroll<fibx_problem, tmc_session>(
    "tuple", [](auto& session, auto& p) { p.result = session.run(fibx, int{p.n}); });

}  // namespace
}  // namespace nopal_bench
