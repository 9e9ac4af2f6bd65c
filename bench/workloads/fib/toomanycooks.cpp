// SPDX-License-Identifier: Apache-2.0
#include "harness/sessions/toomanycooks.hpp"

#include <tmc/spawn.hpp>
#include <tmc/spawn_tuple.hpp>

#include "fib.hpp"

namespace nopal_bench {
namespace {

tmc::task<std::uint64_t> fib_fork(unsigned n) {
  if (n < 2) {
    co_return n;
  }
  auto forked = co_await tmc::fork_clang(fib_fork(n - 1));
  const std::uint64_t b = co_await fib_fork(n - 2);
  const std::uint64_t a = co_await std::move(forked);
  co_return a + b;
}

tmc::task<std::uint64_t> fib_tuple(unsigned n) {
  if (n < 2) {
    co_return n;
  }
  const auto [a, b] = co_await tmc::spawn_tuple(fib_tuple(n - 1), fib_tuple(n - 2));
  co_return a + b;
}

[[maybe_unused]] const bool enrolled =
    enroll<fib_problem, tmc_session>(
        "fork", [](auto& session, auto& p) { p.result = session.run(fib_fork, unsigned{p.n}); }) &&
    enroll<fib_problem, tmc_session>(
        "tuple", [](auto& session, auto& p) { p.result = session.run(fib_tuple, unsigned{p.n}); });

}  // namespace
}  // namespace nopal_bench
