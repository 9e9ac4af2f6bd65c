// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <functional>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "nopal/async.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/task.hpp"

namespace {

using nopal::task_scope;

std::string message_of_join(task_scope& s) {
  try {
    s.join();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

struct kind {
  unsigned workers;
  bool caller_works;
};
void PrintTo(const kind& k, std::ostream* out) {
  *out << k.workers << (k.caller_works ? "AndTheCaller" : "");
}

class TaskScope : public testing::TestWithParam<kind> {
 protected:
  static nopal::options of_kind() {
    return {.workers = GetParam().workers, .caller_works = GetParam().caller_works};
  }
  nopal::runtime workers{of_kind()};
};

TEST_P(TaskScope, RunsWhatAWorkerSpawns) {
  std::atomic<int> ran{0};
  workers.run([&] {
    task_scope s;
    for (int i = 0; i < 1000; ++i) s.spawn([&] { ++ran; });
    s.join();
    EXPECT_EQ(ran.load(), 1000);
  });
  EXPECT_EQ(workers.stats().total.spawns, 1000U);
}

TEST_P(TaskScope, RunsWhatAThreadSpawns) {
  std::atomic<int> ran{0};
  task_scope s(workers);
  for (int i = 0; i < 1000; ++i) s.spawn([&] { ++ran; });
  s.join();
  EXPECT_EQ(ran.load(), 1000);
}

TEST_P(TaskScope, RunsOnTheWorkersThatItIsMadeFor) {
  nopal::runtime other({.workers = 1});
  std::atomic<unsigned> ran{0};
  other.run([&] {
    task_scope s(workers);
    const std::uint64_t before = other.stats().total.spawns;
    for (int i = 0; i < 100; ++i)
      s.spawn([&] { nopal::parallel_invoke([&] { ++ran; }, [&] { ++ran; }); });
    s.join();
    EXPECT_EQ(other.stats().total.spawns, before + 100);
  });
  EXPECT_EQ(ran.load(), 200U);
}

TEST_P(TaskScope, ASpawnedFunctionSpawnsForksAndWaits) {
  std::atomic<int> ran{0};
  workers.run([&] {
    task_scope s;
    nopal::countdown go(1);
    s.spawn([&] {
      go.wait();
      for (int i = 0; i < 10; ++i)
        s.spawn([&] { nopal::parallel_invoke([&] { ++ran; }, [&] { ++ran; }); });
    });
    s.spawn([&] { go.signal(); });
    s.join();
  });
  EXPECT_EQ(ran.load(), 20);
}

TEST_P(TaskScope, IsUsedAgainAfterAJoin) {
  task_scope s(workers);
  std::atomic<int> ran{0};
  for (int round = 1; round <= 100; ++round) {
    s.spawn([&] { ++ran; });
    s.join();
    ASSERT_EQ(ran.load(), round);
  }
}

TEST_P(TaskScope, ArgumentsAreMovedOrCopied) {
  task_scope s(workers);
  int sum = 0;
  s.spawn([](std::unique_ptr<int> p, int& to) { to = *p; }, std::make_unique<int>(7),
          std::ref(sum));
  s.join();
  EXPECT_EQ(sum, 7);
}

nopal::task<> sets(int& to) {
  to = 5;
  co_return;
}

TEST_P(TaskScope, ATaskIsRunToItsEnd) {
  task_scope s(workers);
  int set = 0;
  s.spawn([&] { return sets(set); });
  s.join();
  EXPECT_EQ(set, 5);
}

TEST_P(TaskScope, JoinThrowsTheFirstException) {
  task_scope s(workers);
  s.spawn([] { throw std::runtime_error("one"); });
  s.spawn([] {});
  EXPECT_EQ(message_of_join(s), "one");
  EXPECT_EQ(message_of_join(s), "") << "an exception is thrown once";
  for (int i = 0; i < 50; ++i) s.spawn([] { throw std::runtime_error("many"); });
  EXPECT_EQ(message_of_join(s), "many");
}

TEST_P(TaskScope, TheEndRequestsStopAndWaits) {
  std::atomic<bool> ended{false};
  {
    task_scope s(workers);
    s.spawn([&](std::stop_token stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
      ended = true;
      throw std::runtime_error("dropped");
    });
  }
  EXPECT_TRUE(ended);
}

TEST_P(TaskScope, WhatIsSpawnedBeginsAsWhereTheScopeWasMade) {
  workers.run([&] {
    std::fesetround(FE_UPWARD);
    task_scope s;
    std::fesetround(FE_TONEAREST);
    std::atomic<int> upward{0};
    for (int i = 0; i < 10; ++i)
      s.spawn([&] {
        upward += std::fegetround() == FE_UPWARD ? 1 : 0;
        std::fesetround(FE_DOWNWARD);  // is not for the next one to find
      });
    s.join();
    EXPECT_EQ(upward.load(), 10);
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  });
}

TEST_P(TaskScope, CaughtExceptionsAreOfEachFunction) {
  workers.run([&] {
    task_scope s;
    std::atomic<int> clean{0};
    for (int i = 0; i < 20; ++i)
      s.spawn([&, i] {
        clean += std::current_exception() == nullptr && std::uncaught_exceptions() == 0 ? 1 : 0;
        try {
          throw i;
        } catch (int) {
          nopal::parallel_invoke([] {}, [] {});
        }
      });
    s.join();
    EXPECT_EQ(clean.load(), 20);
  });
}

TEST_P(TaskScope, ScopesTakeTurnsInARow) {
  workers.run([&] {
    task_scope a, b;
    std::atomic<int> ran{0};
    for (int i = 0; i < 100; ++i) {
      a.spawn([&] { ++ran; });
      b.spawn([&] { ++ran; });
    }
    a.join();
    b.join();
    EXPECT_EQ(ran.load(), 200);
  });
}

TEST_P(TaskScope, OthersSpawnAndThrowWhileOneJoins) {
  constexpr int each = 2000;
  std::atomic<int> ran{0}, thrown{0};
  std::atomic<unsigned> spawning{3};
  task_scope s(workers);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < each; ++i)
        s.spawn([&, i] {
          ++ran;
          if (i % 4 == 0) throw std::runtime_error("thrown");
        });
      --spawning;
    });
  for (bool last = false; !last;) {
    last = spawning == 0;
    const std::string message = message_of_join(s);
    if (!message.empty()) ++thrown;
    EXPECT_TRUE(message.empty() || message == "thrown") << message;
  }
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(ran.load(), 3 * each);
  EXPECT_NE(thrown.load(), 0);
}

TEST_P(TaskScope, MayOutliveTheCatchBlockInWhichItWasMade) {
  workers.run([&] {
    std::unique_ptr<task_scope> s;
    try {
      throw std::runtime_error("gone");
    } catch (const std::runtime_error&) {
      s = std::make_unique<task_scope>();
    }
    std::atomic<int> clean{0};
    for (int i = 0; i < 10; ++i)
      s->spawn([&] { clean += std::current_exception() == nullptr ? 1 : 0; });
    s->join();
    EXPECT_EQ(clean.load(), 10);
  });
}

TEST_P(TaskScope, AsyncGivesTheResult) {
  task_scope s(workers);
  int place = 3;
  nopal::pending<int> value = s.async([](int x) { return x + 1; }, 41);
  nopal::pending<int&> reference = s.async([&]() -> int& { return place; });
  nopal::pending<void> nothing = s.async([] {});
  nopal::pending<int> thrown = s.async([]() -> int { throw std::runtime_error("lost"); });
  EXPECT_EQ(value.get(), 42);
  EXPECT_EQ(&reference.get(), &place);
  nothing.get();
  EXPECT_THROW(thrown.get(), std::runtime_error);
  EXPECT_EQ(message_of_join(s), "") << "the exception was that of pending::get()";
}

TEST_P(TaskScope, APendingResultMayBeDropped) {
  task_scope s(workers);
  std::atomic<bool> ran{false};
  static_cast<void>(s.async([&] {
    ran = true;
    return std::make_unique<int>(1);
  }));
  s.join();
  EXPECT_TRUE(ran);
}

nopal::task<int> twice(nopal::pending<int>& p) { co_return 2 * co_await p; }

TEST_P(TaskScope, ATaskAwaitsAPendingResult) {
  workers.run([&] {
    task_scope s;
    nopal::pending<int> p = s.async([] { return 21; });
    EXPECT_EQ(nopal::run([&] { return twice(p); }), 42);
  });
}

TEST_P(TaskScope, AHintNamesAWorker) {
  task_scope s(workers);
  std::atomic<int> ran{0};
  for (int i = 0; i < 200; ++i)
    s.spawn(nopal::near(static_cast<unsigned>(i) % GetParam().workers), [&] { ++ran; });
  s.join();
  EXPECT_EQ(ran.load(), 200);
  workers.run([&] {
    task_scope inside;
    for (int i = 0; i < 200; ++i)
      inside.spawn(nopal::near(static_cast<unsigned>(i) % GetParam().workers),
                   [&, p = std::make_unique<int>(1)] { ran += *p; });
    inside.join();
  });
  EXPECT_EQ(ran.load(), 400);
  try {
    s.spawn(nopal::near(99), [] {});
    ADD_FAILURE() << "there is no worker 99";
  } catch (const std::out_of_range& e) {
    EXPECT_NE(std::string(e.what()).find("no worker 99"), std::string::npos) << e.what();
  }
}

TEST_P(TaskScope, WhatThrowsWhenItIsSpawnedIsNotSpawned) {
  struct throws_when_copied {
    throws_when_copied() = default;
    throws_when_copied(const throws_when_copied&) { throw std::runtime_error("copy"); }
    void operator()() const {}
  };
  task_scope s(workers);
  const throws_when_copied f;
  EXPECT_THROW(s.spawn(f), std::runtime_error);
  s.join();
}

TEST_P(TaskScope, NobodyJoinsWhatIsDetached) {
  std::atomic<int> ran{0};
  {
    nopal::runtime r(of_kind());
    for (int i = 0; i < 100; ++i) r.spawn_detached([&](int k) { ran += k; }, 1);
    r.run([&] {
      for (int i = 0; i < 100; ++i)
        r.spawn_detached([&] { nopal::parallel_invoke([&] { ++ran; }, [&] { ++ran; }); });
    });
  }
  EXPECT_EQ(ran.load(), 300);
}

INSTANTIATE_TEST_SUITE_P(Workers, TaskScope,
                         testing::Values(kind{1, false}, kind{2, false}, kind{4, false},
                                         kind{1, true}, kind{2, true}),
                         testing::PrintToStringParamName());

TEST(TaskScopeOfTheDefaultRuntime, IsTheDefault) {
  task_scope s;
  std::atomic<bool> ran{false};
  s.spawn([&] { ran = true; });
  s.join();
  EXPECT_TRUE(ran);
}

TEST(TaskScopeDeathTest, AFunctionThatJoinsItsOwnScopeIsNamed) {
  EXPECT_DEATH(
      {
        nopal::runtime r({.workers = 1});
        task_scope s(r);
        s.spawn([&] { s.join(); });
        s.join();
      },
      "a function that was spawned in this scope, it waits for its own end");
}

TEST(DetachedDeathTest, AnExceptionEndsTheProcess) {
  EXPECT_DEATH(
      {
        nopal::runtime r({.workers = 1});
        r.spawn_detached([] { throw std::runtime_error("why"); });
      },
      "spawn_detached has thrown an exception \\(why\\)");
}

TEST(TaskScopeRow, RunsManyOnOneStack) {
  nopal::runtime one({.workers = 1, .caller_works = false});
  one.run([&] {
    task_scope s;
    for (int i = 0; i < 100'000; ++i) s.spawn([] {});
    s.join();
  });
  EXPECT_LT(one.stats().total.stack_switches, 100U);
}

TEST(TaskScopeRow, LetsWhatIsSubmittedGoFirst) {
  nopal::runtime one({.workers = 1, .caller_works = false});
  std::atomic<bool> came{false};
  int ran = 0;
  one.run([&] {
    task_scope s;
    for (int i = 0; i < 1000; ++i)
      s.spawn([&] {
        if (++ran == 1)
          std::thread([&] { s.spawn([&] { came = true; }); }).join();
        else
          EXPECT_TRUE(came) << "after " << ran << " spawned functions";
      });
    s.join();
  });
  EXPECT_EQ(ran, 1000);
}

}  // namespace
