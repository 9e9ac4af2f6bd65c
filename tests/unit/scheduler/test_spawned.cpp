// SPDX-License-Identifier: Apache-2.0
// The second queue of a worker: in which order what lies there is run, by whom, and what becomes of
// it if there is no stack.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <iostream>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "nopal/async.hpp"
#include "nopal/detail/async/near_call.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "support/build.hpp"
#include "support/scheduler_run.hpp"

namespace {

using nopal::task_scope;
using nopal::detail::machine;
using nopal::detail::owned_scheduler;
using nopal::detail::scheduler;
using nopal_test::run_in;

void wait_until(const auto& holds) {
  while (!holds()) std::this_thread::yield();
}

/// A scope on a scheduler that the test has made itself, of a machine of its own.
class scope_on {
 public:
  explicit scope_on(scheduler& s) : scope_(&s) {}
  ~scope_on() { join(); }

  template <class F>
  void spawn(F f) {
    auto call = [f = std::move(f)](nopal::detail::scope&) mutable { f(); };
    scope_.spawn(*new nopal::detail::spawned_call<decltype(call)>(&scope_, std::move(call)));
  }
  template <class F>
  void spawn_near(unsigned worker, F f) {
    auto call = [f = std::move(f)](nopal::detail::scope&) mutable { f(); };
    scope_.spawn_near(worker,
                      *new nopal::detail::near_call<decltype(call)>(&scope_, std::move(call)));
  }
  void join() { scope_.join(); }

 private:
  nopal::detail::scope scope_;
};

/// Two workers. One runs what the test gives it, and the other is held until the test lets it go.
class Spawned : public testing::Test {
 protected:
  /// Calls f on a worker; beside it the other worker does nothing before let_go().
  template <class F>
  void run_beside_a_held_worker(F&& f) {
    two_.run([&] {
      task_scope holding;
      holding.spawn([&] {
        is_held_ = true;
        wait_until([&] { return let_go_.load(); });
      });
      wait_until([&] { return is_held_.load(); });
      f();
    });
  }
  void let_go() { let_go_ = true; }

 private:
  nopal::runtime two_{{.workers = 2, .caller_works = false}};
  std::atomic<bool> is_held_{false}, let_go_{false};
};

TEST(SpawnedOrder, AWorkerRunsItsNewestFirst) {
  nopal::runtime one({.workers = 1, .caller_works = false});
  std::vector<int> order;
  one.run([&] {
    task_scope s;
    for (int i = 0; i < 5; ++i) s.spawn([&, i] { order.push_back(i); });
    s.join();
  });
  EXPECT_EQ(order, (std::vector{4, 3, 2, 1, 0}));
}

TEST_F(Spawned, AThiefRunsTheOldestFirst) {
  std::atomic<int> first{-1}, ran{0};
  run_beside_a_held_worker([&] {
    task_scope s;
    for (int i = 0; i < 100; ++i)
      s.spawn([&, i] {
        int none = -1;
        first.compare_exchange_strong(none, i);
        ++ran;
      });
    let_go();
    wait_until([&] { return ran != 0; });
  });
  EXPECT_EQ(first.load(), 0);
}

TEST(SpawnedOrder, AThiefTakesHalfButNoMoreThan64) {
  struct queue {
    int holds;
    std::uint64_t taken;
  };
  for (const auto [holds, taken] : {queue{1, 1}, queue{2, 1}, queue{3, 2}, queue{10, 5},
                                    queue{100, 50}, queue{129, 64}, queue{1000, 64}}) {
    std::atomic<std::uint64_t> at_first{0};
    nopal::runtime two({.workers = 2, .caller_works = false});
    two.run([&] {
      std::atomic<bool> held{false}, go{false}, began{false};
      std::uint64_t before = 0;
      task_scope holding, s;
      holding.spawn([&] {
        held = true;
        wait_until([&] { return go.load(); });
      });
      wait_until([&] { return held.load(); });
      before = two.stats().total.steals;
      for (int i = 0; i < holds; ++i)
        s.spawn([&] {
          const std::uint64_t now = two.stats().total.steals - before;
          if (!began.exchange(true)) at_first = now;
        });
      go = true;
      wait_until([&] { return began.load(); });
    });
    EXPECT_EQ(at_first.load(), taken) << "of " << holds;
  }
}

TEST_F(Spawned, AThiefTakesForksBeforeSpawnedFunctions) {
  std::atomic<int> turn{0}, fork{-1}, spawned{-1};
  run_beside_a_held_worker([&] {
    task_scope s;
    s.spawn([&] { spawned = turn++; });
    nopal::parallel_invoke(
        [&] {
          let_go();
          wait_until([&] { return turn == 2; });
        },
        [&] { fork = turn++; });
  });
  EXPECT_EQ(fork.load(), 0);
  EXPECT_EQ(spawned.load(), 1);
}

TEST(SpawnedOrder, ForksOfARowAreStolenAsAnyOthers) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime two({.workers = 2, .caller_works = caller_works});
    std::atomic<int> together{0};
    two.run([&] {
      task_scope s;
      s.spawn([&] {
        const auto meet = [&] {
          ++together;
          wait_until([&] { return together == 2; });
        };
        nopal::parallel_invoke(meet, meet);
      });
      s.join();
    });
  }
}

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Seconds of its CPU that one worker takes to run n functions that were queued while it was busy:
/// the only thread that runs then.
template <class Spawn>
double drain(int n, const Spawn& spawn_all) {
  nopal::runtime one({.workers = 1});
  std::atomic<bool> held{false}, go{false};
  std::atomic<int> ran{0};
  task_scope s(one);
  s.spawn([&] {
    held = true;
    wait_until([&] { return go.load(); });
  });
  wait_until([&] { return held.load(); });
  spawn_all(s, n, ran);
  const double start = cpu_seconds();
  go = true;
  s.join();
  EXPECT_EQ(ran.load(), n);
  return cpu_seconds() - start;
}

TEST(SpawnedDrain, IsLinear) {
  constexpr int most = nopal_test::with_sanitizer ? 100'000 : 1'000'000;
  const auto from_outside = [](task_scope& s, int n, std::atomic<int>& ran) {
    for (int i = 0; i < n; ++i) s.spawn([&] { ++ran; });
  };
  const auto with_hints = [](task_scope& s, int n, std::atomic<int>& ran) {
    for (int i = 0; i < n; ++i) s.spawn(nopal::near(0), [&] { ++ran; });
  };
  const auto by_the_worker = [](task_scope& s, int n, std::atomic<int>& ran) {
    s.spawn([&s, n, &ran] {
      for (int i = 0; i < n; ++i) s.spawn([&] { ++ran; });
    });
  };
  const auto report = [&](const char* what, const auto& spawn_all) {
    const double tenth = drain(most / 10, spawn_all), all = drain(most, spawn_all);
    std::cout << what << ": " << 1e9 * tenth / (most / 10) << " ns each of " << most / 10 << ", "
              << 1e9 * all / most << " ns each of " << most << '\n';
    EXPECT_LT(all, 50 * tenth) << "ten times as many; if it is quadratic, a hundred times as long";
  };
  report("from outside", from_outside);
  report("with hints", with_hints);
  report("by the worker", by_the_worker);
}

TEST(SpawnedStacks, FewAreEnough) {
  for (const std::size_t stacks : {1U, 2U, 3U}) {
    owned_scheduler s({.workers = 4}, machine{.stack_limit = stacks});
    std::atomic<int> ran{0};
    scope_on scope(s);
    for (int i = 0; i < 1000; ++i)
      scope.spawn([&] { nopal::parallel_invoke([&] { ++ran; }, [&] { ++ran; }); });
    scope.join();
    EXPECT_EQ(ran.load(), 2000) << stacks << " stacks";
  }
}

// While the only stack is in use nothing that is queued is lost; it is run when the stack is free.
TEST(SpawnedStacks, WhatIsQueuedWaitsForOne) {
  for (int round = 0; round < 50; ++round) {
    owned_scheduler s({.workers = 2, .caller_works = false}, machine{.stack_limit = 2});
    std::atomic<bool> held{false}, go{false};
    std::atomic<int> ran{0};
    scope_on holding(s);
    holding.spawn([&] {
      held = true;
      wait_until([&] { return go.load(); });
    });
    wait_until([&] { return held.load(); });
    std::thread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(round % 5));
      EXPECT_EQ(ran.load(), 0);
      go = true;
    });
    run_in(s, [&] {
      task_scope waits;
      for (int i = 0; i < 100; ++i) waits.spawn([&] { ++ran; });
      waits.join();  // holds the other stack
    });
    later.join();
    EXPECT_EQ(ran.load(), 100);
  }
}

// A hint may be left when its function has run. It is freed before the workers end, even if those
// that ended before have had all the stacks: a leak checker sees it.
TEST(SpawnedStacks, HintsLeftAtTheEndAreFreed) {
  for (const std::size_t stacks : {1U, 2U, 100U})
    for (int round = 0; round < 200; ++round) {
      owned_scheduler s({.workers = 4}, machine{.stack_limit = stacks});
      std::atomic<int> ran{0};
      scope_on scope(s);
      for (unsigned i = 0; i < 40; ++i)
        scope.spawn_near(i % 4, [&, p = std::make_unique<int>(1)] { ran += *p; });
      scope.join();
      EXPECT_EQ(ran.load(), 40);
    }
}

}  // namespace
