// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/sync/flag.hpp"
#include "nopal/sync/once.hpp"
#include "nopal/sync/semaphore.hpp"
#include "nopal/task.hpp"
#include "nopal/wait/stopped.hpp"
#include "on_workers.hpp"

namespace {

using namespace nopal_test;
using nopal::once;
using nopal::runtime;

void throw_it() { throw std::runtime_error("thrown"); }

TEST(Once, RunsTheFirstFunctionAndNoOther) {
  once o;
  EXPECT_FALSE(o.is_done());
  int runs = 0;
  const auto count = [&] { ++runs; };
  o.call(count);
  EXPECT_TRUE(o.is_done());
  o.call([&] { runs = 100; });
  o.call(throw_it);
  EXPECT_TRUE(o.try_call(throw_it));
  o.call(throw_it, short_time);
  EXPECT_EQ(runs, 1);
}

TEST(Once, AnExceptionLeavesItToTheNext) {
  once o;
  EXPECT_THROW(o.call(throw_it), std::runtime_error);
  EXPECT_THROW(o.try_call(throw_it), std::runtime_error);
  EXPECT_THROW(o.call(throw_it, long_time), std::runtime_error);
  EXPECT_FALSE(o.is_done());
  int runs = 0;
  EXPECT_TRUE(o.try_call([&] { ++runs; }));
  EXPECT_EQ(runs, 1);
}

TEST(Once, TheOthersWaitUntilItHasRun) {
  on_one_and_two_workers([](runtime& r) {
    constexpr int n = 40;
    once o;
    nopal::flag goes_on;
    std::atomic<int> runs{0}, came{0}, went{0};
    in_strands(n + 1, [&](int i) {
      if (i == n) {
        EXPECT_FALSE(o.is_done());
        while (came.load() < n) std::this_thread::yield();
        return goes_on.set();
      }
      came.fetch_add(1);
      o.call([&] {
        goes_on.wait();
        runs.fetch_add(1);
      });
      EXPECT_TRUE(o.is_done());
      EXPECT_EQ(runs.load(), 1);
      went.fetch_add(1);
    });
    EXPECT_EQ(went.load(), n);
    if (r.workers() == 1) {
      EXPECT_GE(r.stats().total.suspensions, std::size_t{n});
    }
  });
}

TEST(Once, ATurnIsHandedOverInOrder) {
  runtime one({.workers = 1, .caller_works = false});
  one.run([] {
    once o;
    nopal::flag goes_on;
    std::vector<int> ran;
    int went = 0;
    in_strands(6, [&](int i) {
      if (i == 5) return goes_on.set();
      try {
        o.call([&] {
          if (i == 0) goes_on.wait();
          ran.push_back(i);
          if (i < 3) throw_it();
        });
        ++went;
        EXPECT_GE(i, 3);
      } catch (const std::runtime_error&) {
        EXPECT_LT(i, 3);
      }
    });
    EXPECT_EQ(ran, (std::vector<int>{0, 1, 2, 3}));
    EXPECT_EQ(went, 2);
    EXPECT_TRUE(o.is_done());
  });
}

TEST(Once, LimitsEndAWaitAndNoFunction) {
  on_one_and_two_workers([](runtime&) {
    once o;
    nopal::flag runs, goes_on;
    std::stop_source source;
    nopal::parallel_invoke(
        [&] {
          o.call(
              [&] {
                runs.set();
                goes_on.wait();
              },
              {source.get_token(), long_time});
          EXPECT_TRUE(o.is_done());
        },
        [&] {
          runs.wait();
          std::error_code error;
          o.call(throw_it, error, short_time);
          EXPECT_TRUE(is_timeout(error));
          EXPECT_THROW(o.call([] {}, short_time), std::system_error);
          EXPECT_FALSE(o.try_call(throw_it));
          source.request_stop();
          EXPECT_THROW(o.call([] {}, source.get_token()), nopal::stopped);
          EXPECT_FALSE(o.is_done());
          goes_on.set();
          o.call(throw_it, error, long_time);
          EXPECT_FALSE(error);
        });
  });
}

TEST(Once, ATurnPassesByThoseThatHaveEnded) {
  on_one_and_two_workers([](runtime&) {
    once o;
    nopal::flag runs, ended;
    std::stop_source source;
    nopal::parallel_invoke(
        [&] {
          const auto throws = [&] {
            runs.set();
            ended.wait();
            throw_it();
          };
          EXPECT_THROW(o.call(throws), std::runtime_error);
        },
        [&] {
          runs.wait();
          std::error_code error;
          o.call([] {}, error, {source.get_token(), long_time});
          EXPECT_TRUE(is_stop(error));
          ended.set();
        },
        [&] {
          runs.wait();
          source.request_stop();
        });
    EXPECT_FALSE(o.is_done());
  });
}

nopal::task<> calls(once& o, nopal::flag& goes_on, int& runs) {
  co_await o.call([&] {
    goes_on.wait();
    ++runs;
  });
  EXPECT_EQ(runs, 1);
}
nopal::task<> throws(once& o) {
  try {
    co_await o.call(throw_it);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error&) {
  }
}
nopal::task<> many_tasks() {
  once o;
  nopal::flag goes_on;
  int runs = 0;
  co_await throws(o);
  for (int i = 0; i < 10; ++i) co_await nopal::fork(calls, o, goes_on, runs);
  co_await nopal::fork(
      [](nopal::flag& f) -> nopal::task<> {
        f.set();
        co_return;
      },
      goes_on);
  co_await nopal::join();
  co_await o.call(throw_it);
}

TEST(Once, TasksAwaitIt) {
  on_one_and_two_workers([](runtime&) { nopal::wait(many_tasks()); });
}

TEST(Once, MayEndWhenTheWaitIsOver) {
  runtime r({.workers = 1, .caller_works = false});
  nopal::semaphore asked(0), begun(0);
  std::optional<once> o;
  constexpr int rounds = 60;
  std::thread other([&] {
    for (int i = 0; i < rounds; ++i) {
      asked.acquire();
      o->call([&] { begun.release(); });
    }
  });
  for (int i = 0; i < rounds; ++i) {
    o.emplace();
    asked.release();
    begun.acquire();
    if (i % 2 == 0)
      o->call(throw_it);
    else
      r.run([&] { o->call(throw_it); });
    o.reset();
  }
  other.join();
}

}  // namespace
