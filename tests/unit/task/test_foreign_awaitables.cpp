// SPDX-License-Identifier: Apache-2.0
// Tasks await what is not of nopal.
#include <gtest/gtest.h>

#include <coroutine>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "foreign_coroutines.hpp"
#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal::call;
using nopal::fork;
using nopal::join;
using nopal::task;
using nopal_test::everywhere;

task<int> by_callback(foreign::executor& on, int n) {
  co_return co_await foreign::twice_awaitable{&on, n};
}

TEST(ForeignAwaitables, ACallbackResumesOnAnotherThread) {
  foreign::executor other;
  everywhere([&] { EXPECT_EQ(nopal::wait(by_callback(other, 21)), 42); });
}

TEST(ForeignAwaitables, TheTaskGoesOnOnAWorkerOfItsRuntime) {
  foreign::executor other;
  for (const unsigned workers : {1U, 2U}) {
    nopal::runtime r({.workers = workers, .caller_works = false});
    nopal::runtime another({.workers = 1, .caller_works = false});
    r.run([&]() -> task<> {
      for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(co_await foreign::twice_awaitable(&other, i), 2 * i);
        EXPECT_TRUE(r.is_current());
        // A worker of another runtime resumes it.
        co_await foreign::calls(
            [&](std::coroutine_handle<> h) { another.spawn_detached([h] { h.resume(); }); });
        EXPECT_TRUE(r.is_current());
      }
    });
  }
}

task<int> tree(foreign::executor& on, int depth) {
  if (depth == 0) co_return co_await foreign::twice_awaitable{&on, 1};
  int a, b;
  co_await fork(&a, tree, on, depth - 1);
  co_await call(&b, tree, on, depth - 1);
  co_await join();
  co_return a + b;
}

TEST(ForeignAwaitables, ChildrenAwaitWhileTheirParentsGoOn) {
  foreign::executor other;
  everywhere([&] { EXPECT_EQ(nopal::wait(tree(other, 8)), 512); });
}

foreign::lazy<int> lazily(int n) { co_return n; }
foreign::lazy<int> lazily_by_callback(foreign::executor& on, int n) {
  co_return co_await foreign::twice_awaitable{&on, n} + co_await lazily(1);
}
foreign::eager<int> eagerly(int n) { co_return n; }
foreign::eager<int> eagerly_by_callback(foreign::executor& on, int n) {
  co_return co_await foreign::twice_awaitable{&on, n};
}
foreign::lazy<std::unique_ptr<int>> throws(bool really) {
  if (really) throw std::runtime_error("thrown by another's coroutine");
  co_return std::make_unique<int>(7);
}

TEST(ForeignAwaitables, LazyAndEagerCoroutines) {
  foreign::executor other;
  everywhere([&] {
    nopal::run([&]() -> task<> {
      EXPECT_EQ(co_await lazily(3), 3);
      EXPECT_EQ(co_await lazily_by_callback(other, 4), 9);
      EXPECT_EQ(co_await eagerly(5), 5);
      EXPECT_EQ(co_await eagerly_by_callback(other, 6), 12);
      auto made_before = eagerly_by_callback(other, 7);
      EXPECT_EQ(co_await std::move(made_before), 14);
      EXPECT_EQ(*co_await throws(false), 7);
      bool caught = false;
      try {
        co_await throws(true);
      } catch (const std::runtime_error&) {
        caught = true;
      }
      EXPECT_TRUE(caught);
    });
  });
}

foreign::generator squares(foreign::executor& on, int n) {
  for (int i = 0; i < n; ++i) {
    if (i % 2 != 0) co_await foreign::twice_awaitable{&on, i};
    co_yield i* i;
  }
}

TEST(ForeignAwaitables, AGeneratorYieldsAtOnceAndLater) {
  foreign::executor other;
  everywhere([&] {
    nopal::run([&]() -> task<> {
      auto values = squares(other, 20);
      int sum = 0;
      while (const std::optional<int> v = co_await values.next()) sum += *v;
      EXPECT_EQ(sum, 2470);
    });
  });
}

/// Each of these is resumed before its await_suspend() returns.
TEST(ForeignAwaitables, AnExecutorResumesInline) {
  everywhere([] {
    nopal::run([]() -> task<> {
      for (int i = 0; i < 1000; ++i) {
        co_await foreign::calls([](std::coroutine_handle<> h) {
          EXPECT_FALSE(h.done());
          h.resume();
        });
        co_await foreign::calls([](std::coroutine_handle<> h) {
          h.resume();
          return true;
        });
        co_await foreign::calls([](std::coroutine_handle<> h) { return h; });
        co_await foreign::calls([](std::coroutine_handle<>) { return false; });
        co_await foreign::calls([](std::coroutine_handle<> h) -> std::coroutine_handle<> {
          h.resume();
          return std::noop_coroutine();
        });
      }
    });
  });
}

TEST(ForeignAwaitables, AnotherThreadResumesBeforeAwaitSuspendReturns) {
  everywhere([] {
    nopal::run([]() -> task<> {
      for (int i = 0; i < 20; ++i)
        co_await foreign::calls(
            [](std::coroutine_handle<> h) { std::thread([h] { h.resume(); }).join(); });
    });
  });
}

task<int> is_abandoned(foreign::executor* by) {
  int caught = 0;
  try {
    co_await foreign::calls([by](std::coroutine_handle<> h) {
      if (by == nullptr)
        h.destroy();
      else
        by->post([h] { h.destroy(); });
    });
  } catch (const nopal::abandoned& e) {
    EXPECT_NE(std::string(e.what()).find("destroyed"), std::string::npos);
    ++caught;
  }
  co_return caught;
}

TEST(ForeignAwaitables, AnExecutorDestroysTheHandle) {
  foreign::executor other;
  everywhere([&] {
    EXPECT_EQ(nopal::wait(is_abandoned(nullptr)), 1);
    EXPECT_EQ(nopal::wait(is_abandoned(&other)), 1);
  });
}

TEST(ForeignAwaitables, AnAwaitableThrows) {
  everywhere([] {
    nopal::run([]() -> task<> {
      int caught = 0;
      try {
        co_await foreign::calls([](std::coroutine_handle<>) { throw std::runtime_error("no"); });
      } catch (const std::runtime_error&) {
        ++caught;
      }
      EXPECT_EQ(caught, 1);
    });
  });
}

struct own_awaiter {
  int value = 0;
  [[nodiscard]] bool await_ready() const noexcept { return value != 0; }
  bool await_suspend(std::coroutine_handle<>) noexcept {
    value = 5;
    return false;
  }
  int& await_resume() noexcept { return value; }
};

TEST(ForeignAwaitables, AwaitersAreUsedInPlace) {
  everywhere([] {
    nopal::run([]() -> task<> {
      own_awaiter a;
      int& first = co_await a;
      EXPECT_EQ(&first, &a.value);
      EXPECT_EQ(co_await a, 5);
      EXPECT_EQ(co_await foreign::ready_number{8}, 8);
      co_await std::suspend_never();
    });
  });
}

struct inline_scheduler {
  int scheduled = 0;
  void schedule(std::coroutine_handle<> h) {
    ++scheduled;
    h.resume();
  }
};
struct thread_scheduler {
  foreign::executor& on;
  void schedule(std::coroutine_handle<> h) const {
    on.post([h] { h.resume(); });
  }
};
struct ending_scheduler {
  static void schedule(std::coroutine_handle<> h) { h.destroy(); }
};
struct no_scheduler {
  void schedule(int);
};
static_assert(nopal::task_scheduler<inline_scheduler>);
static_assert(nopal::task_scheduler<const thread_scheduler>);
static_assert(!nopal::task_scheduler<no_scheduler>);

TEST(ForeignAwaitables, SchedulersOfTheProgram) {
  foreign::executor other;
  everywhere([&] {
    nopal::run([&]() -> task<> {
      inline_scheduler at_once;
      const thread_scheduler later{other};
      for (int i = 0; i < 20; ++i) {
        co_await nopal::schedule_on(at_once);
        EXPECT_EQ(at_once.scheduled, i + 1);
        co_await nopal::schedule_on(later);
      }
      ending_scheduler ends;
      bool caught = false;
      try {
        co_await nopal::schedule_on(ends);
      } catch (const nopal::abandoned&) {
        caught = true;
      }
      EXPECT_TRUE(caught);
    });
  });
}

TEST(ForeignAwaitablesDeathTest, AHandleThatIsResumedTwice) {
  if (nopal_test::with_emulator) GTEST_SKIP() << "the emulator cannot run the program anew";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(nopal::run([]() -> task<> {
                 co_await foreign::calls([](std::coroutine_handle<> h) {
                   h.resume();
                   h.destroy();
                 });
               }),
               "resumed or destroyed twice");
}

/// The code that an await runs is a part of the task, so its updates are in the serial order.
TEST(ForeignAwaitables, ReducersKeepTheirOrder) {
  foreign::executor other;
  for (const unsigned workers : {1U, 2U}) {
    nopal::runtime r({.workers = workers, .caller_works = false});
    nopal::reducer<nopal::monoid::vector<int>> all;
    r.run([&]() -> task<> {
      const auto child = [&](int i) -> task<> {
        all->push_back(i);
        co_await foreign::calls([&](std::coroutine_handle<> h) {
          all->push_back(i + 1);
          other.post([h] { h.resume(); });
        });
        all->push_back(i + 2);
      };
      for (int i = 0; i < 30; i += 3) co_await fork(child, i);
      co_await join();
    });
    std::vector<int> expected(30);
    for (int i = 0; i < 30; ++i) expected[static_cast<std::size_t>(i)] = i;
    EXPECT_EQ(*all, expected);
  }
}

/// An await may fork and wait before it suspends: the strand may be on another worker then.
TEST(ForeignAwaitables, AnAwaitSuspendForks) {
  foreign::executor other;
  everywhere([&] {
    nopal::run([&]() -> task<> {
      for (int i = 0; i < 50; ++i)
        co_await foreign::calls([&](std::coroutine_handle<> h) {
          int sum[2];
          nopal::parallel_invoke([&] { sum[0] = nopal::wait(by_callback(other, i)); },
                                 [&] { sum[1] = nopal::wait(by_callback(other, i)); });
          EXPECT_EQ(sum[0] + sum[1], 4 * i);
          other.post([h] { h.resume(); });
        });
    });
  });
}

}  // namespace
