// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn.hpp>
#include <tmc/spawn_tuple.hpp>

#include "fibx.hpp"

namespace nopal_bench {
namespace {

tmc::task<std::uint64_t> fibx_fork(int n) {
  if (n < 2) {
    co_return 1;
  }
  auto forked = co_await tmc::fork_clang(fibx_fork(n - 1));
  const std::uint64_t b = co_await fibx_fork(n - fibx_gap);
  const std::uint64_t a = co_await std::move(forked);
  co_return a + b;
}

tmc::task<std::uint64_t> fibx_tuple(int n) {
  if (n < 2) {
    co_return 1;
  }
  const auto [a, b] = co_await tmc::spawn_tuple(fibx_tuple(n - 1), fibx_tuple(n - fibx_gap));
  co_return a + b;
}

[[maybe_unused]] const bool enrolled =
    enroll<fibx_problem, tmc_session>(
        "fork", [](auto& session, auto& p) { p.result = session.run(fibx_fork, int{p.n}); }) &&
    enroll<fibx_problem, tmc_session>(
        "tuple", [](auto& session, auto& p) { p.result = session.run(fibx_tuple, int{p.n}); });

}  // namespace
}  // namespace nopal_bench
