// SPDX-License-Identifier: Apache-2.0
// Tasks that callbacks and coroutines of others start.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <coroutine>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "foreign_coroutines.hpp"
#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal::call;
using nopal::fork;
using nopal::join;
using nopal::outcome;
using nopal::start;
using nopal::task;
using nopal_test::everywhere;

task<int> fib(int n) {
  if (n < 2) co_return n;
  int a, b;
  co_await fork(&a, fib, n - 1);
  co_await call(&b, fib, n - 2);
  co_await join();
  co_return a + b;
}

/// Starts the task, and returns its outcome when that has come.
template <class T>
outcome<T> outcome_of(task<T> t) {
  std::optional<outcome<T>> result;
  foreign::signal told;
  start(std::move(t), [&](outcome<T> o) {
    result.emplace(std::move(o));
    told.set();
  });
  told.wait();
  return std::move(*result);
}

TEST(Start, TheCallbackGetsTheResult) {
  EXPECT_EQ(*outcome_of(fib(16)), 987);
  const auto move_only = [](int n) -> task<std::unique_ptr<int>> {
    co_return std::make_unique<int>(n);
  };
  EXPECT_EQ(**outcome_of(move_only(3)), 3);
  int variable = 5;
  const auto reference = [](int& x) -> task<int&> { co_return x; };
  outcome<int&> r = outcome_of(reference(variable));
  EXPECT_EQ(&*r, &variable);
  EXPECT_EQ(&r.take(), &variable);
  const auto nothing = []() -> task<> { co_return; };
  outcome<void> n = outcome_of(nothing());
  EXPECT_TRUE(n.has_value());
  n.take();
  const outcome<int> constant = outcome_of(fib(3));
  EXPECT_EQ(*constant, 2);
  const auto text = []() -> task<std::string> { co_return "text"; };
  const outcome<std::string> with_members = outcome_of(text());
  EXPECT_EQ(with_members->size(), 4U);
}

TEST(Start, AnOutcomeHasWhatWasSetLast) {
  outcome<int> o;
  EXPECT_FALSE(o.has_value());
  o.set_error(std::make_exception_ptr(std::runtime_error("first")));
  o.set_value(3);
  EXPECT_TRUE(o.has_value());
  EXPECT_EQ(o.error(), nullptr);
  EXPECT_EQ(o.take(), 3);
  o.set_error(std::make_exception_ptr(std::runtime_error("last")));
  EXPECT_FALSE(o.has_value());
  EXPECT_THROW(o.take(), std::runtime_error);
  outcome<void> n;
  EXPECT_FALSE(n.has_value());
  n.set_value();
  EXPECT_TRUE(n.has_value());
  n.set_error(std::make_exception_ptr(std::runtime_error("last")));
  EXPECT_FALSE(n.has_value());
  n.set_from([] {});
  EXPECT_TRUE(n.has_value());
  EXPECT_EQ(n.error(), nullptr);
}

TEST(Start, TheCallbackGetsTheException) {
  const auto throws = []() -> task<std::string> {
    throw std::runtime_error("thrown");
    co_return "";
  };
  outcome<std::string> o = outcome_of(throws());
  EXPECT_FALSE(o);
  EXPECT_NE(o.error(), nullptr);
  EXPECT_THROW(o.take(), std::runtime_error);
  const auto throws_nothing = []() -> task<> {
    throw std::runtime_error("thrown");
    co_return;
  };
  EXPECT_FALSE(outcome_of(throws_nothing()).has_value());
}

TEST(Start, ARuntimeWaitsForWhatItHasStarted) {
  for (const unsigned workers : {1U, 2U}) {
    std::atomic<int> sum{0};
    foreign::executor other;
    const auto waits = [&other](int n) -> task<int> {
      co_return co_await foreign::twice_awaitable{&other, n} + co_await call(fib, 10);
    };
    {
      nopal::runtime r({.workers = workers, .caller_works = false});
      for (int i = 0; i < 100; ++i)
        start(r, waits(i), [&](outcome<int> o) {
          EXPECT_TRUE(r.is_current());
          sum += *o;
        });
      // A worker starts them as well.
      r.run([&] {
        for (int i = 0; i < 100; ++i)
          start(waits(i), [&](outcome<int> o) {
            EXPECT_TRUE(r.is_current());
            sum += *o;
          });
      });
    }
    EXPECT_EQ(sum, 2 * (9900 + 5500));
  }
}

TEST(Start, TheCallbackMayWaitForkAndStart) {
  std::atomic<int> sum{0};
  {
    nopal::runtime r({.workers = 2, .caller_works = false});
    for (int i = 0; i < 20; ++i)
      start(r, fib(10), [&](outcome<int> o) {
        nopal::parallel_invoke([&] { sum += nopal::wait(fib(10)); }, [&] { sum += *o; });
        start(fib(10), [&](outcome<int> p) -> task<> { sum += *p + co_await call(fib, 10); });
      });
  }
  EXPECT_EQ(sum, 20 * 4 * 55);
}

/// A worker that ends a spawned function goes on with another one on the same stack. A started task
/// is not one of them.
TEST(Start, ASpawnedFunctionStarts) {
  for (const unsigned workers : {1U, 2U, 4U}) {
    std::atomic<int> sum{0};
    {
      nopal::runtime r({.workers = workers, .caller_works = false});
      const auto starts = [&sum] { start(fib(6), [&sum](outcome<int> o) { sum += *o; }); };
      for (int i = 0; i < 20; ++i) r.spawn_detached(starts);
      r.run([&] {
        nopal::task_scope s;
        for (int i = 0; i < 20; ++i) s.spawn(starts);
      });
    }
    EXPECT_EQ(sum, 40 * 8);
  }
}

/// An exception of a move could go nowhere by then, and the callback would never be called.
TEST(Start, TheCallbackIsNotMovedOnceItIsStored) {
  struct throws_if_moved_twice {
    foreign::signal* told;
    int moves = 0;
    explicit throws_if_moved_twice(foreign::signal& s) : told(&s) {}
    throws_if_moved_twice(throws_if_moved_twice&& other)
        : told(other.told), moves(other.moves + 1) {
      if (moves > 1) throw std::runtime_error("moved once more");
    }
    void operator()(outcome<int> o) const {
      EXPECT_EQ(*o, 2);
      told->set();
    }
  };
  foreign::signal told;
  start(fib(3), throws_if_moved_twice(told));
  told.wait();
}

/// What the callback holds ends when it has been called, and not on a stack of the scheduler.
TEST(Start, ClosuresAndTasksEndOnAStrand) {
  struct forks_at_its_end {
    std::atomic<int>* ended;
    explicit forks_at_its_end(std::atomic<int>& e) : ended(&e) {}
    forks_at_its_end(forks_at_its_end&& other) noexcept
        : ended(std::exchange(other.ended, nullptr)) {}
    ~forks_at_its_end() {
      if (ended != nullptr) nopal::parallel_invoke([&] { ++*ended; }, [&] { ++*ended; });
    }
  };
  std::atomic<int> ended{0};
  {
    nopal::runtime r({.workers = 2, .caller_works = false});
    for (int i = 0; i < 20; ++i) {
      const auto holds = [](forks_at_its_end) -> task<> { co_return; };
      start(r, holds(forks_at_its_end(ended)),
            [f = forks_at_its_end(ended)](outcome<void>) mutable {});
    }
  }
  EXPECT_EQ(ended, 20 * 2 * 2);
}

foreign::eager<int> eager_sum(int n) { co_return co_await fib(n) + co_await fib(n); }
foreign::lazy<int> lazy_sum(int n) {
  bool caught = false;
  try {
    co_await []() -> task<> {
      throw std::runtime_error("for a coroutine of others");
      co_return;
    }();
  } catch (const std::runtime_error&) {
    caught = true;
  }
  EXPECT_TRUE(caught);
  co_return co_await eager_sum(n) + co_await fib(n);
}

/// A task awaits coroutines of others, which await tasks.
task<int> through_others(int n) { co_return co_await eager_sum(n) + co_await lazy_sum(n); }

TEST(Start, CoroutinesOfOthersAwaitTasks) {
  everywhere([] { EXPECT_EQ(nopal::wait(through_others(10)), 5 * 55); });
}

TEST(Start, AThreadThatIsNoWorkerBeginsACoroutineOfOthers) {
  foreign::eager<int> running = eager_sum(12);
  const auto awaits = [](foreign::eager<int> e) -> task<int> { co_return co_await std::move(e); };
  EXPECT_EQ(nopal::wait(awaits(std::move(running))), 288);
}

TEST(Start, ATaskThatWasMovedFromIsRefused) {
  task<int> t = fib(3);
  task<int> other = std::move(t);
  EXPECT_THROW(start(std::move(t), [](outcome<int>) { FAIL(); }), std::logic_error);
  EXPECT_EQ(*outcome_of(std::move(other)), 2);
}

TEST(StartDeathTest, MistakesEndTheProgram) {
  if (nopal_test::with_emulator) GTEST_SKIP() << "the emulator cannot run the program anew";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        start(fib(3), [](outcome<int>) { throw std::runtime_error("on its way"); });
        for (;;) pause();
      },
      "has thrown an exception .on its way.");
  const auto starts_what_lies_on_its_stack = [](int n) -> task<int> {
    start(fib(n), [](outcome<int>) {});
    return fib(n);
  };
  EXPECT_DEATH(nopal::run([&]() -> task<> {
                 co_await fork(starts_what_lies_on_its_stack, 3);
                 co_await join();
               }),
               "lies on the stack of the caller");
}

TEST(Start, AChildOfForkHasNoWorkers) {
  nopal::runtime r({.workers = 1});
  const pid_t child = ::fork();
  if (child == 0) {
    bool refused = false;
    try {
      start(r, fib(3), [](outcome<int>) {});
    } catch (const std::logic_error&) {
      refused = true;
    }
    _exit(refused ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
