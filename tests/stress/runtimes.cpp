// SPDX-License-Identifier: Apache-2.0
// Several runtimes whose strands call each other, threads that lend their stacks to the default
// runtime, and delays.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/delays.hpp"
#include "support/environment.hpp"
#include "support/random_tree.hpp"
#include "support/scheduler_run.hpp"
#include "support/watchdog.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::runtime;

constexpr unsigned rounds = nopal_test::with_sanitizer ? 5 : 100;

/// A tree of calls: forks here, and calls the other runtimes in its branches. Counts its leaves.
std::uint64_t calls(std::array<runtime*, 3> rt, std::uint64_t seed, unsigned depth) {
  if (depth == 0) return 1;
  nopal_test::random_numbers random(seed);
  std::array<std::uint64_t, 3> leaves{};
  std::array<std::uint64_t, 3> seeds{random.next(), random.next(), random.next()};
  runtime& first = *rt[random.below(3)];
  runtime& second = *rt[random.below(3)];
  nopal::parallel_invoke(
      [&] { leaves[0] = first.run([&] { return calls(rt, seeds[0], depth - 1); }); },
      [&] { leaves[1] = calls(rt, seeds[1], depth - 1); },
      [&] { leaves[2] = second.run([&] { return calls(rt, seeds[2], depth - 1); }); });
  return leaves[0] + leaves[1] + leaves[2];
}

TEST(Runtimes, CallEachOther) {
  const std::uint64_t seed = nopal_test::seed_or(31);
  const nopal_test::random_delays delays(seed);
  runtime a({.workers = 1, .seed = seed}), b({.workers = 2, .seed = seed}),
      c({.workers = 3, .seed = seed});
  const nopal_test::watchdog w(60s, "runtimes that call each other", seed);
  for (unsigned i = 0; i < rounds; ++i)
    ASSERT_EQ(a.run([&] { return calls({&a, &b, &c}, seed + i, 5); }), 243U)
        << "NOPAL_TEST_SEED=" << seed;
}

TEST(Runtimes, OfOneWorkerCallEachOther) {
  const std::uint64_t seed = nopal_test::seed_or(32);
  const nopal_test::random_delays delays(seed);
  runtime a({.workers = 1, .seed = seed}), b({.workers = 1, .seed = seed}),
      c({.workers = 1, .seed = seed});
  const nopal_test::watchdog w(60s, "runtimes of one worker", seed);
  for (unsigned i = 0; i < rounds; ++i)
    ASSERT_EQ(a.run([&] { return calls({&a, &b, &c}, seed + i, 5); }), 243U)
        << "NOPAL_TEST_SEED=" << seed;
}

TEST(Runtimes, ComeAndGo) {
  const std::uint64_t seed = nopal_test::seed_or(33);
  const nopal_test::random_delays delays(seed);
  const nopal_test::watchdog w(60s, "runtimes that come and go", seed);
  constexpr nopal_test::tree_shape shape{.depth = 4};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < rounds; ++i) {
        runtime r({.workers = 1 + static_cast<unsigned>(i + t) % 4, .seed = seed + i});
        EXPECT_EQ(r.run([&] { return nopal_test::run_tree(seed + i, shape.depth, shape); }),
                  nopal_test::run_tree_serially(seed + i, shape.depth, shape));
      }
    });
  for (auto& t : threads) t.join();
}

// Frames on threads that are no workers: their stacks are lent to the default runtime, and its
// strands to them.
TEST(Runtimes, ThreadsLendTheirStacks) {
  const nopal_test::environment_variable four("NOPAL_WORKERS", "4");
  const std::uint64_t seed = nopal_test::seed_or(34);
  const nopal_test::random_delays delays(seed);
  const nopal_test::watchdog w(60s, "threads that lend their stacks", seed);
  constexpr nopal_test::tree_shape shape{.depth = 6, .throws_one_in = 200};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < rounds; ++i) {
        const std::uint64_t tree = seed + 1000 * t + i;
        const auto possible = nopal_test::possible_failures(tree, shape.depth, shape);
        try {
          EXPECT_EQ(nopal_test::run_tree(tree, shape.depth, shape),
                    nopal_test::run_tree_serially(tree, shape.depth, shape));
          EXPECT_TRUE(possible.empty()) << tree;
        } catch (const nopal_test::node_failure& f) {
          EXPECT_TRUE(possible.contains(f.node)) << tree;
        }
      }
    });
  for (auto& t : threads) t.join();
}

// Threads that are guests of one runtime. Their calls fork, throw, wait, and leave functions behind
// that are to run after them.
TEST(Runtimes, GuestsShareOne) {
  const std::uint64_t seed = nopal_test::seed_or(35);
  const nopal_test::random_delays delays(seed);
  const nopal_test::watchdog w(60s, "guests of one runtime", seed);
  constexpr nopal_test::tree_shape shape{.depth = 5, .throws_one_in = 100};
  constexpr unsigned callers = 4;
  for (const unsigned workers : {1U, 2U, 3U}) {
    std::atomic<unsigned> signals{0};
    {
      runtime r({.workers = workers, .seed = seed});
      std::vector<std::thread> threads;
      for (unsigned t = 0; t < callers; ++t)
        threads.emplace_back([&, t] {
          for (std::uint64_t i = 0; i < rounds; ++i) {
            const std::uint64_t tree = seed + 1000 * t + i;
            const auto possible = nopal_test::possible_failures(tree, shape.depth, shape);
            try {
              const std::uint64_t result = r.run([&] {
                r.spawn_detached([&] { ++signals; });
                if (i % 3 == 0) {
                  nopal::countdown one(1);
                  nopal::task_scope scope;
                  scope.spawn([&] { one.signal(); });
                  one.wait();
                  scope.join();
                }
                return nopal_test::run_tree(tree, shape.depth, shape);
              });
              EXPECT_EQ(result, nopal_test::run_tree_serially(tree, shape.depth, shape)) << tree;
              EXPECT_TRUE(possible.empty()) << tree;
            } catch (const nopal_test::node_failure& f) {
              EXPECT_TRUE(possible.contains(f.node)) << tree;
            }
          }
        });
      for (auto& t : threads) t.join();
    }
    EXPECT_EQ(signals, callers * rounds);
  }
}

}  // namespace
