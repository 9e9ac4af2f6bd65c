// SPDX-License-Identifier: Apache-2.0
// Reducers with delays at every step of every protocol: the results are those of the serial
// program, and few views live at a time.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ostream>
#include <thread>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/reducer_tree.hpp"
#include "support/scheduler_run.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::reducer;
using nopal::detail::owned_scheduler;

constexpr unsigned trees = 400;
constexpr unsigned depth = 6;

class Reducers : public testing::TestWithParam<unsigned> {
 protected:
  void run_trees(unsigned throws_one_in) {
    const std::uint64_t first = nopal_test::seed_or(1000 * GetParam() + throws_one_in);
    const nopal_test::random_delays delays(first);
    owned_scheduler of_workers({.workers = GetParam(), .seed = first, .caller_works = false}, {});
    owned_scheduler of_callers({.workers = GetParam(), .seed = first}, {});
    for (std::uint64_t seed = first; seed < first + 1 + trees / nopal_test::work_divisor; ++seed) {
      owned_scheduler& s = (seed - first) % 2 == 0 ? of_callers : of_workers;
      const nopal_test::watchdog w(30s, "random tree that writes a log", seed,
                                   [&](std::ostream& out) { nopal_test::print_state(out, s); });
      nopal_test::log_reducer all;
      nopal_test::run_in(
          s, [&] { nopal_test::run_log_tree(all, GetParam(), seed, depth, throws_one_in); });
      ASSERT_EQ(*all, nopal_test::serial_log(seed, depth, throws_one_in))
          << GetParam() << " workers, NOPAL_TEST_SEED=" << seed;
    }
  }
};

TEST_P(Reducers, RandomTrees) { run_trees(0); }
TEST_P(Reducers, RandomTreesThatThrow) { run_trees(12); }

INSTANTIATE_TEST_SUITE_P(Workers, Reducers, testing::Values(1U, 2U, 3U, 5U, 8U, 13U),
                         testing::PrintToStringParamName());

/// Counts the views that live.
struct counted {
  static std::atomic<int> alive;
  static std::atomic<int> most;

  counted() {
    const int now = alive.fetch_add(1) + 1;
    for (int m = most.load(); m < now && !most.compare_exchange_weak(m, now);) {
    }
  }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  ~counted() { --alive; }
  std::uint64_t value = 0;
};
std::atomic<int> counted::alive{0};
std::atomic<int> counted::most{0};

struct counted_sum {
  using value_type = counted;
  static counted identity() { return {}; }
  static void reduce(counted& left, counted& right) { left.value += right.value; }
};

/// Each child waits until its function has gone on with the next one, so that each is stolen from.
NOPAL_FORKS void stolen_in_every_turn(reducer<counted_sum>& sum, std::uint64_t turns) {
  std::atomic<std::uint64_t> at{0};
  nopal::fork_frame frame;
  for (std::uint64_t i = 0; i < turns; ++i) {
    frame.fork(
        [&at, &sum](std::uint64_t mine) {
          ++sum->value;
          while (at.load(std::memory_order_acquire) == mine) std::this_thread::yield();
        },
        i);
    at.store(i + 1, std::memory_order_release);
  }
  frame.join();
}

/// The most views that live at a time.
int most_views(std::uint64_t turns) {
  constexpr unsigned workers = 4;
  nopal::runtime four({.workers = workers});
  counted::most = 0;
  four.run([&] {
    reducer<counted_sum> sum;
    stolen_in_every_turn(sum, turns);
    EXPECT_EQ(sum->value, turns);
  });
  EXPECT_GE(four.stats().total.steals, turns);
  EXPECT_EQ(counted::alive, 0);
  return counted::most;
}

// Four strands at a time: each has a segment, and between two of them lies a block. While one is
// interrupted with the list in its hands, others may leave some more.
constexpr int few = 20;

TEST(ReducerBound, StealsInALoopKeepFewViews) {
  EXPECT_LE(most_views(nopal_test::with_sanitizer ? 1000 : 100'000), few);
}

}  // namespace
