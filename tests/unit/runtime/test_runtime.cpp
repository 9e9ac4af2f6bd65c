// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"
#include "support/environment.hpp"
#include "support/scheduler_run.hpp"

namespace {

using nopal::runtime;

std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0, b = 0;
  nopal::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

TEST(Run, ReturnsAValue) {
  runtime r({.workers = 2});
  EXPECT_EQ(r.run(fib, 20U), 6765U);
  EXPECT_EQ(r.run([](int a, int b) { return a - b; }, 7, 3), 4);
}

TEST(Run, ReturnsVoid) {
  runtime r({.workers = 2});
  int x = 0;
  static_assert(std::is_void_v<decltype(r.run([&] { x = 5; }))>);
  r.run([&] { x = 5; });
  EXPECT_EQ(x, 5);
}

TEST(Run, ReturnsAReference) {
  runtime r({.workers = 2});
  int x = 5;
  static_assert(std::is_same_v<decltype(r.run([&]() -> int& { return x; })), int&>);
  EXPECT_EQ(&r.run([&]() -> int& { return x; }), &x);
  const std::string s = "text";
  EXPECT_EQ(&r.run([&]() -> const std::string& { return s; }), &s);
}

TEST(Run, ReturnsWhatOnlyMoves) {
  runtime r({.workers = 2});
  auto p = r.run([](std::unique_ptr<int> q) { return q; }, std::make_unique<int>(9));
  EXPECT_EQ(*p, 9);
}

struct no_default {
  explicit no_default(int v) : value(v) {}
  int value;
};

TEST(Run, ReturnsWhatHasNoDefault) {
  runtime r({.workers = 1});
  EXPECT_EQ(r.run([] { return no_default(3); }).value, 3);
  const auto constant = [] { return static_cast<const no_default>(no_default(4)); };
  EXPECT_EQ(r.run(constant).value, 4);
}

TEST(Run, ArgumentsAreUsedWhereTheyAre) {
  runtime r({.workers = 1});
  int x = 0;
  r.run([](int& y) { y = 8; }, x);
  EXPECT_EQ(x, 8);
}

struct counter_of_calls {
  int calls = 0;
  int add(int n) { return calls += n; }
};

TEST(Run, CallsMembers) {
  runtime r({.workers = 1});
  counter_of_calls c;
  EXPECT_EQ(r.run(&counter_of_calls::add, c, 2), 2);
  EXPECT_EQ(r.run(&counter_of_calls::add, &c, 2), 4);
}

TEST(Run, HandsExceptionsBack) {
  runtime r({.workers = 2});
  try {
    r.run([]() -> int { throw std::runtime_error("out of milk"); });
    FAIL();
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "out of milk");
  }
  EXPECT_EQ(r.run(fib, 10U), 55U) << "works afterwards";
}

TEST(Run, RunsOnAWorkerAndFromThereIsAPlainCall) {
  runtime r({.workers = 2, .caller_works = false});
  const auto outside = std::this_thread::get_id();
  r.run([&] {
    const auto here = std::this_thread::get_id();
    EXPECT_NE(here, outside);
    int on_my_stack = 0;
    r.run([&] {
      EXPECT_EQ(std::this_thread::get_id(), here);
      on_my_stack = 1;
    });
    EXPECT_EQ(on_my_stack, 1);
    EXPECT_EQ(nopal::run([&] { return std::this_thread::get_id(); }), here)
        << "on a worker of any runtime a plain call";
  });
}

TEST(Run, DefaultRuntime) {
  EXPECT_EQ(nopal::run(fib, 15U), 610U);
  EXPECT_THROW(nopal::run([] { throw 7; }), int);
}

TEST(Run, ManyThreadsAtOnce) {
  runtime r({.workers = 2});
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  constexpr int calls = nopal_test::with_sanitizer ? 50 : 500;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < calls; ++i) right += r.run(fib, 8U) == 21;
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(right.load(), 8 * calls);
}

TEST(Run, SeveralRuntimesSideBySide) {
  runtime a({.workers = 1}), b({.workers = 2}), c({.workers = 3});
  std::vector<std::thread> threads;
  for (runtime* r : {&a, &b, &c}) threads.emplace_back([r] { EXPECT_EQ(r->run(fib, 18U), 2584U); });
  for (auto& t : threads) t.join();
}

/// Down through two runtimes by turns: each worker would wait for itself if a call blocked it.
int ping_pong(runtime& here, runtime& there, int depth) {
  if (depth == 0) return 0;
  return 1 + there.run([&] { return ping_pong(there, here, depth - 1); });
}

TEST(Run, RuntimesOfOneWorkerCallEachOtherRecursively) {
  runtime a({.workers = 1}), b({.workers = 1});
  EXPECT_EQ(a.run([&] { return ping_pong(a, b, 40); }), 40);
}

TEST(Run, ACallToAnotherRuntimeDoesNotBlockTheWorker) {
  runtime a({.workers = 1}), b({.workers = 1});
  std::atomic<bool> other_branch{false};
  a.run([&] {
    nopal::parallel_invoke(
        // Ends only when the other branch has run, which only this runtime's one worker can do.
        [&] {
          b.run([&] {
            while (!other_branch) std::this_thread::yield();
          });
        },
        [&] { other_branch = true; });
  });
}

// The worker that goes on with other work takes its own continuations; the strand that comes back
// must not take them again.
TEST(Run, BranchesBesideACallToAnotherRuntimeRunOnce) {
  runtime a({.workers = 1}), b({.workers = 1});
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> inner{0}, outer{0};
    a.run([&] {
      nopal::parallel_invoke(
          [&] {
            nopal::parallel_invoke(
                [&] {
                  b.run([&] {
                    while (outer == 0) std::this_thread::yield();
                  });
                },
                [&] { ++inner; });
          },
          [&] { ++outer; });
    });
    ASSERT_EQ(inner.load(), 1);
    ASSERT_EQ(outer.load(), 1);
  }
}

TEST(Run, ExceptionsComeThroughSeveralRuntimes) {
  runtime a({.workers = 1}), b({.workers = 2});
  EXPECT_THROW(a.run([&] { b.run([&] { a.run([] { throw std::out_of_range("far"); }); }); }),
               std::out_of_range);
}

TEST(Runtime, DestructionWaitsForWorkInFlight) {
  std::atomic<bool> entered{false}, ended{false};
  std::thread caller;
  {
    runtime r({.workers = 2});
    caller = std::thread([&] {
      r.run([&] {
        entered = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        fib(10);
        ended = true;
      });
    });
    while (!entered) std::this_thread::yield();
  }
  EXPECT_TRUE(ended);
  caller.join();
}

TEST(Runtime, Workers) {
  EXPECT_EQ(runtime({.workers = 3}).workers(), 3U);
  EXPECT_GE(runtime(nopal::options{}).workers(), 1U);
  const nopal_test::environment_variable set("NOPAL_WORKERS", "5");
  EXPECT_EQ(runtime().workers(), 5U);
  EXPECT_EQ(runtime({.workers = 2}).workers(), 2U) << "exactly these options";
}

/// The memory of a static object, which is still there when its destructor has been called.
union static_runtime {
  static_runtime() : r({.workers = 1}) {}
  ~static_runtime() {}
  runtime r;
};

TEST(Runtime, UseAfterItsEndSaysSo) {
  struct use {
    const char* name;
    void (*of)(runtime&);
  };
  for (const auto& [name, of] :
       {use{"run", [](runtime& r) { r.run([] {}); }},
        use{"workers", [](runtime& r) { static_cast<void>(r.workers()); }},
        use{"stats", [](runtime& r) { static_cast<void>(r.stats()); }},
        use{"spawn_detached", [](runtime& r) { r.spawn_detached([] {}); }},
        use{"claim", [](runtime& r) { static_cast<void>(r.claim({})); }},
        use{"task_scope", [](runtime& r) { const nopal::task_scope s(r); }}}) {
    const auto p = nopal_test::in_child([of = of] {
      static static_runtime ended;
      ended.r.run([] {});
      ended.r.~runtime();
      of(ended.r);
      return 0;
    });
    EXPECT_FALSE(p.exited) << name << ": " << p;
    EXPECT_EQ(p.status, SIGABRT) << name << ": " << p;
    EXPECT_NE(p.errors.find("used after its destructor"), std::string::npos) << name << ": " << p;
  }
}

TEST(Runtime, BadOptionsAreRefused) {
  EXPECT_THROW(runtime({.workers = 1025}), std::invalid_argument);
  EXPECT_THROW(runtime({.workers = 1, .stack_bytes = 100}), std::invalid_argument);
  const nopal_test::environment_variable set("NOPAL_IDLE", "asleep");
  EXPECT_THROW(runtime(), std::invalid_argument);
}

nopal::statistics statistics_of_forks(bool caller_works) {
  runtime r({.workers = 4, .caller_works = caller_works});
  r.run([] {
    for (int i = 0; i < 20; ++i) fib(12);
    std::atomic<bool> stolen{false};
    nopal::parallel_invoke(
        [&] {
          while (!stolen) std::this_thread::yield();
        },
        [&] { stolen = true; });
  });
  EXPECT_TRUE(nopal_test::frees_all_stacks(r));
  return r.stats();
}

TEST(Runtime, StatisticsAddUp) {
  const nopal::statistics s = statistics_of_forks(false);
  ASSERT_EQ(s.per_worker.size(), 4U);
  nopal::counts sum;
  for (const nopal::counts& c : s.per_worker) sum += c;
  EXPECT_EQ(sum.steals, s.total.steals);
  EXPECT_EQ(sum.stack_switches, s.total.stack_switches);
  EXPECT_GE(s.total.steals, 1U);
  EXPECT_GE(s.total.stack_switches, 2U);
  EXPECT_GE(s.total.stacks_mapped, 2U);
  EXPECT_GE(s.peak_stacks_in_use, 2U);
#ifdef NOPAL_COUNT_FORKS
  EXPECT_GT(s.total.forks, 1000U);
#else
  EXPECT_EQ(s.total.forks, 0U);
#endif
}

TEST(Runtime, StatisticsOfGuestsAreInTheTotalOnly) {
  const nopal::statistics s = statistics_of_forks(true);
  ASSERT_EQ(s.per_worker.size(), 4U);
  nopal::counts sum;
  for (const nopal::counts& c : s.per_worker) sum += c;
  EXPECT_GE(sum.steals, 1U) << "a worker has stolen from the guest";
  EXPECT_GE(s.total.steals, sum.steals);
  EXPECT_GE(s.total.stack_switches, sum.stack_switches);
#ifdef NOPAL_COUNT_FORKS
  EXPECT_GT(s.total.forks, 1000U);
  EXPECT_LT(sum.forks, s.total.forks);
#endif
}

TEST(Runtime, ManyMoreWorkersThanCpus) {
  runtime r({.workers = 64});
  EXPECT_EQ(r.run(fib, 18U), 2584U);
}

TEST(Runtime, StartedAndEndedOften) {
  constexpr int times = nopal_test::with_sanitizer ? 50 : 500;
  for (int i = 0; i < times; ++i) {
    runtime r({.workers = 1U + static_cast<unsigned>(i) % 4});
    if (i % 2 == 0) {
      EXPECT_EQ(r.run(fib, 5U), 5U);
    }
  }
}

}  // namespace
