// SPDX-License-Identifier: Apache-2.0
// Bursts of work with pauses, in which workers fall asleep: a lost wake-up is a burst that does not
// end, or a branch that waits for another which nobody comes to steal.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/random_tree.hpp"
#include "support/scheduler_run.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::detail::machine;
using nopal::detail::owned_scheduler;
using nopal::detail::scheduler;

/// Ends only when as many workers as there are leaves, or one less and the caller, have come to it.
void all_at_once(std::atomic<unsigned>& there, unsigned leaves, unsigned all) {
  if (leaves > 1) {
    nopal::parallel_invoke([&] { all_at_once(there, leaves / 2, all); },
                           [&] { all_at_once(there, leaves - leaves / 2, all); });
    return;
  }
  there.fetch_add(1);
  while (there.load() != all) std::this_thread::yield();
}

void run_bursts(scheduler& s, std::uint64_t seed, unsigned bursts) {
  nopal_test::random_numbers random(seed);
  for (unsigned i = 0; i < bursts; ++i) {
    const nopal_test::watchdog w(20s, "burst", seed,
                                 [&](std::ostream& out) { nopal_test::print_state(out, s); });
    std::atomic<unsigned> there{0};
    nopal_test::run_in(s, [&] { all_at_once(there, s.workers(), s.workers()); });
    ASSERT_EQ(there, s.workers()) << "NOPAL_TEST_SEED=" << seed;
    // From none to long enough that all sleep: most of all, just long enough that they are about
    // to.
    std::this_thread::sleep_for(
        std::chrono::microseconds(random.one_in(4) ? 3000 : random.below(600)));
  }
}

constexpr unsigned bursts = nopal_test::with_sanitizer ? 30 : 400;

class Bursts : public testing::TestWithParam<unsigned> {};

TEST_P(Bursts, EveryWorkerComes) {
  const std::uint64_t seed = nopal_test::seed_or(GetParam());
  owned_scheduler s({.workers = GetParam(), .seed = seed, .caller_works = false});
  run_bursts(s, seed, bursts);
  // On a loaded machine none of the pauses may have been long enough for that. A sleep counts when
  // it is over, so each needs a burst after it.
  const nopal_test::watchdog w(60s, "sleep", seed,
                               [&](std::ostream& out) { nopal_test::print_state(out, s); });
  while (s.stats().total.sleeps == 0) {
    std::this_thread::sleep_for(10ms);
    run_bursts(s, seed, 1);
  }
}

TEST_P(Bursts, EveryWorkerComesWithDelays) {
  const std::uint64_t seed = nopal_test::seed_or(50 + GetParam());
  const nopal_test::random_delays delays(seed);
  for (const bool caller_works : {false, true}) {
    owned_scheduler s({.workers = GetParam(), .seed = seed, .caller_works = caller_works});
    run_bursts(s, seed, bursts / 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Workers, Bursts, testing::Values(1, 2, 3, 5, 8),
                         testing::PrintToStringParamName());

TEST(Bursts, OfSeveralGroups) {
  const std::uint64_t seed = nopal_test::seed_or(77);
  const nopal_test::random_delays delays(seed);
  for (const bool caller_works : {false, true}) {
    owned_scheduler s({.workers = 6, .seed = seed, .caller_works = caller_works},
                      machine{.synthetic_topology = "numa:3 core:2 pu:1"});
    run_bursts(s, seed, bursts / 2);
  }
}

TEST(Bursts, OfBusyWorkers) {
  const std::uint64_t seed = nopal_test::seed_or(78);
  owned_scheduler s({.workers = 4, .idle = nopal::idle_policy::busy, .seed = seed});
  run_bursts(s, seed, bursts / 4);
  EXPECT_EQ(s.stats().total.sleeps, 0U);
}

// Threads that come from outside at the same time, each with pauses of its own.
void come_from_outside(bool caller_works) {
  const std::uint64_t seed = nopal_test::seed_or(79);
  const nopal_test::random_delays delays(seed);
  owned_scheduler s({.workers = 3, .seed = seed, .caller_works = caller_works});
  const nopal_test::watchdog w(60s, "submissions", seed,
                               [&](std::ostream& out) { nopal_test::print_state(out, s); });
  constexpr nopal_test::tree_shape shape{.depth = 3};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      nopal_test::random_numbers random(seed + t);
      for (unsigned i = 0; i < bursts; ++i) {
        const std::uint64_t tree = random.next();
        EXPECT_EQ(
            nopal_test::run_in(s, [&] { return nopal_test::run_tree(tree, shape.depth, shape); }),
            nopal_test::run_tree_serially(tree, shape.depth, shape));
        if (random.one_in(3))
          std::this_thread::sleep_for(std::chrono::microseconds(random.below(2000)));
      }
    });
  for (auto& t : threads) t.join();
}

TEST(Bursts, FromOutsideThreads) {
  for (const bool caller_works : {false, true}) come_from_outside(caller_works);
}

}  // namespace
