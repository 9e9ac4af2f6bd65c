// SPDX-License-Identifier: Apache-2.0
// 10^7 spawned functions for each number of workers: none is lost, and none runs twice.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ostream>

#include "nopal/async.hpp"
#include "support/amount.hpp"
#include "support/build.hpp"
#include "support/scheduler_run.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;

class Spawns : public testing::TestWithParam<unsigned> {};

TEST_P(Spawns, AllRun) {
  const std::uint64_t n = nopal_test::tasks_or(10'000'000 / nopal_test::work_divisor);
  nopal::runtime r({.workers = GetParam(), .caller_works = GetParam() == 2});
  const nopal_test::watchdog w(100s, "spawns", 0, [&](std::ostream& out) {
    nopal_test::print_state(out, nopal::detail::scheduler_of(r));
  });
  std::atomic<std::uint64_t> ran{0};
  r.run([&] {
    nopal::task_scope s;
    for (std::uint64_t i = 0; i < n; ++i)
      s.spawn([&] { ran.fetch_add(1, std::memory_order_relaxed); });
    s.join();
  });
  EXPECT_EQ(ran.load(), n);
  EXPECT_TRUE(nopal_test::frees_all_stacks(r));
}

INSTANTIATE_TEST_SUITE_P(Workers, Spawns, testing::Values(1U, 2U, 4U),
                         testing::PrintToStringParamName());

}  // namespace
