// SPDX-License-Identifier: Apache-2.0
// 1.6 * 10^8 forks of the library as users have it, and as many steals as the machine's scheduling
// brings about.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/random_tree.hpp"
#include "support/scheduler_run.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::detail::owned_scheduler;

// fib(n) forks fib(n + 1) - 1 times.
constexpr unsigned n = nopal_test::with_tsan ? 24 : nopal_test::with_asan ? 26 : 34;
constexpr std::uint64_t right = n == 34 ? 5702887 : n == 26 ? 121393 : 46368;

std::uint64_t by_closures(unsigned m) {
  if (m < 2) return m;
  std::uint64_t a = 0, b = 0;
  nopal::parallel_invoke([&] { a = by_closures(m - 1); }, [&] { b = by_closures(m - 2); });
  return a + b;
}

NOPAL_FORKS std::uint64_t by_frame(unsigned m) {
  if (m < 2) return m;
  nopal::fork_frame frame;
  std::uint64_t a;
  frame.fork(&a, by_frame, m - 1);
  const std::uint64_t b = by_frame(m - 2);
  frame.join();
  return a + b;
}

nopal::task<std::uint64_t> by_task(unsigned m) {
  if (m < 2) co_return m;
  std::uint64_t a, b;
  co_await nopal::fork(&a, by_task, m - 1);
  co_await nopal::call(&b, by_task, m - 2);
  co_await nopal::join();
  co_return a + b;
}

class Forks : public testing::TestWithParam<unsigned> {};

void run_all(const nopal::options& o) {
  owned_scheduler s(o);
  const nopal_test::watchdog w(60s, "fib", o.seed,
                               [&](std::ostream& out) { nopal_test::print_state(out, s); });
  EXPECT_EQ(nopal_test::run_in(s, [] { return by_closures(n); }), right);
  EXPECT_EQ(nopal_test::run_in(s, [] { return by_frame(n); }), right);
  EXPECT_EQ(nopal_test::run_in(s, [] { return by_task(n); }), right);
  EXPECT_TRUE(nopal_test::frees_all_stacks(s));
}

TEST_P(Forks, Fib) {
  run_all(
      {.workers = GetParam(), .seed = nopal_test::seed_or(1), .caller_works = GetParam() % 2 == 0});
}

// 5.7 million and half as many leaves again for each run of fib(34): 9.2 * 10^6 forks, eighteen
// times.
INSTANTIATE_TEST_SUITE_P(Workers, Forks, testing::Values(1, 2, 3, 4, 8, 16),
                         testing::PrintToStringParamName());

TEST(Forks, BusyWorkers) {
  run_all({.workers = 4, .idle = nopal::idle_policy::busy, .seed = nopal_test::seed_or(2)});
}

TEST(Forks, RandomTrees) {
  const std::uint64_t first = nopal_test::seed_or(1000);
  constexpr nopal_test::tree_shape shape{.depth = 10};
  owned_scheduler of_workers({.workers = 4, .seed = first, .caller_works = false});
  owned_scheduler of_callers({.workers = 4, .seed = first});
  for (std::uint64_t seed = first; seed < first + 200 / nopal_test::work_divisor; ++seed) {
    owned_scheduler& s = seed % 2 == 0 ? of_callers : of_workers;
    const nopal_test::watchdog w(20s, "random tree", seed,
                                 [&](std::ostream& out) { nopal_test::print_state(out, s); });
    ASSERT_EQ(nopal_test::run_in(s, [&] { return nopal_test::run_tree(seed, shape.depth, shape); }),
              nopal_test::run_tree_serially(seed, shape.depth, shape))
        << "NOPAL_TEST_SEED=" << seed;
  }
}

}  // namespace
