// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/sync/barrier.hpp"
#include "nopal/sync/semaphore.hpp"
#include "nopal/task.hpp"
#include "nopal/wait/stopped.hpp"
#include "on_workers.hpp"

namespace {

using namespace nopal_test;
using nopal::barrier;
using nopal::runtime;

TEST(Barrier, OneAloneNeedNotWait) {
  int phases = 0;
  barrier alone(1, [&]() noexcept { ++phases; });
  for (int i = 1; i <= 3; ++i) {
    alone.arrive_and_wait();
    EXPECT_EQ(phases, i);
  }
  alone.arrive_and_drop();
  EXPECT_EQ(phases, 4);
}

TEST(Barrier, ManyWaitForEachOtherInEachPhase) {
  on_one_and_two_workers([](runtime&) {
    constexpr int n = 20, rounds = 10;
    int phases = 0;
    std::atomic<int> arrived{0};
    barrier all(n, [&]() noexcept {
      EXPECT_EQ(arrived.load(std::memory_order_relaxed), (phases + 1) * n);
      ++phases;
    });
    in_strands(n, [&](int) {
      for (int i = 1; i <= rounds; ++i) {
        arrived.fetch_add(1, std::memory_order_relaxed);
        all.arrive_and_wait();
        EXPECT_EQ(phases, i);
      }
    });
    EXPECT_EQ(phases, rounds);
  });
}

TEST(Barrier, SumsWhatTheOthersHaveWritten) {
  runtime r({.workers = 2, .caller_works = false});
  constexpr int n = 6, rounds = 50;
  std::vector<int> written(n);
  int sum = 0, calls = 0;
  barrier all(n, [&]() noexcept {
    sum = 0;
    for (const int w : written) sum += w;
    ++calls;
  });
  const auto work = [&](int i) {
    for (int round = 1; round <= rounds; ++round) {
      written[static_cast<std::size_t>(i)] = round;
      all.arrive_and_wait();
      EXPECT_EQ(sum, n * round);
      EXPECT_EQ(calls, round);
    }
  };
  std::thread a(work, 0), b(work, 1);
  r.run([&] { in_strands(n, work, 2); });
  a.join();
  b.join();
  EXPECT_EQ(calls, rounds);
}

TEST(Barrier, AnArrivalIsWaitedForLater) {
  on_one_and_two_workers([](runtime&) {
    barrier<> two(2);
    int written = 0;
    nopal::parallel_invoke(
        [&] {
          auto t = two.arrive();
          two.wait(std::move(t));
          EXPECT_EQ(written, 1);
        },
        [&] {
          written = 1;
          static_cast<void>(two.arrive());
        });
    const auto both = two.arrive(2);
    EXPECT_TRUE(two.try_wait(both));
    const auto one = two.arrive();
    EXPECT_FALSE(two.try_wait(one));
    two.arrive_and_drop();
    EXPECT_TRUE(two.try_wait(one));
    two.arrive_and_wait();
  });
}

TEST(Barrier, SomeDropOut) {
  on_one_and_two_workers([](runtime&) {
    constexpr int n = 8;
    int phases = 0;
    barrier all(n, [&]() noexcept { ++phases; });
    in_strands(n, [&](int i) {
      for (int round = 0; round < i; ++round) all.arrive_and_wait();
      EXPECT_EQ(phases, i);
      all.arrive_and_drop();
    });
    EXPECT_EQ(phases, n);
  });
}

TEST(Barrier, TheFunctionMayForkAndWait) {
  on_one_and_two_workers([](runtime&) {
    nopal::semaphore s(0);
    int phases = 0;
    barrier all(3, [&]() noexcept {
      nopal::parallel_invoke([&] { s.acquire(); }, [&] { s.release(); });
      ++phases;
    });
    in_strands(3, [&](int) {
      all.arrive_and_wait();
      EXPECT_EQ(phases, 1);
    });
  });
}

TEST(Barrier, LimitsEndAWaitAndNoArrival) {
  on_workers_and_threads(2, [] {
    barrier<> all(6);
    std::error_code error;
    all.arrive_and_wait(error, short_time);
    EXPECT_TRUE(is_timeout(error));
    EXPECT_THROW(all.arrive_and_wait(short_time), std::system_error);
    std::stop_source source;
    source.request_stop();
    EXPECT_THROW(all.arrive_and_wait(source.get_token()), nopal::stopped);
    const auto t = all.arrive(2);
    EXPECT_THROW(all.wait(t, short_time), std::system_error);
    all.wait(t, error, short_time);
    EXPECT_TRUE(is_timeout(error));
    EXPECT_FALSE(all.try_wait(t));
    all.arrive_and_wait();
    all.wait(t, error, -short_time);
    EXPECT_FALSE(error) << "it need not wait";
  });
}

nopal::task<> works(barrier<>& all, std::atomic<int>& arrived, int n) {
  for (int i = 1; i <= 5; ++i) {
    arrived.fetch_add(1);
    co_await all.arrive_and_wait();
    EXPECT_GE(arrived.load(), i * n);
  }
  std::error_code error;
  auto t = all.arrive();
  co_await all.wait(t, error, long_time);
  EXPECT_FALSE(error);
  all.arrive_and_drop();
}
nopal::task<> many_tasks() {
  constexpr int n = 10;
  barrier<> all(n);
  std::atomic<int> arrived{0};
  for (int i = 0; i < n; ++i) co_await nopal::fork(works, all, arrived, n);
  co_await nopal::join();
}

TEST(Barrier, TasksAwaitIt) {
  on_one_and_two_workers([](runtime&) { nopal::wait(many_tasks()); });
}

TEST(Barrier, MayEndWhenTheOthersHaveDroppedOut) {
  runtime r({.workers = 1, .caller_works = false});
  nopal::semaphore asked(0);
  std::optional<barrier<>> two;
  constexpr int rounds = 60;
  std::thread other([&] {
    for (int i = 0; i < rounds; ++i) {
      asked.acquire();
      two->arrive_and_drop();
    }
  });
  for (int i = 0; i < rounds; ++i) {
    two.emplace(2);
    asked.release();
    if (i % 2 == 0)
      two->arrive_and_wait();
    else
      r.run([&] { two->arrive_and_wait(); });
    two.reset();
  }
  other.join();
}

}  // namespace
