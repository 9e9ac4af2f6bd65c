// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/sync/latch.hpp"
#include "nopal/sync/semaphore.hpp"
#include "nopal/task.hpp"
#include "nopal/wait/stopped.hpp"
#include "on_workers.hpp"

namespace {

using namespace nopal_test;
using nopal::latch;
using nopal::parallel_invoke;
using nopal::runtime;

TEST(Latch, CountsDown) {
  latch l(4);
  l.count_down(0);
  l.count_down();
  l.count_down(2);
  EXPECT_FALSE(l.try_wait());
  l.count_down();
  EXPECT_TRUE(l.try_wait());
  l.wait();
  l.count_down(0);
  l.wait();
  latch none(0);
  EXPECT_TRUE(none.try_wait());
  none.wait();
}

TEST(Latch, ManyWaitForMany) {
  on_one_and_two_workers([](runtime& r) {
    constexpr int n = 40;
    latch l(n);
    std::atomic<int> counted{0}, went{0};
    in_strands(3 * n, [&](int i) {
      if (i < n || i >= 2 * n) {
        l.wait();
        EXPECT_EQ(counted.load(std::memory_order_relaxed), n);
        went.fetch_add(1, std::memory_order_relaxed);
      } else {
        counted.fetch_add(1, std::memory_order_relaxed);
        l.count_down();
      }
    });
    EXPECT_EQ(went.load(), 2 * n);
    if (r.workers() == 1) {
      EXPECT_GE(r.stats().total.suspensions, std::size_t{n});
    }
  });
}

TEST(Latch, WhoeverWaitsSeesWhatAllHaveDone) {
  on_one_and_two_workers([](runtime&) {
    for (int round = 0; round < 100; ++round) {
      std::vector<int> done(4);
      latch l(4);
      in_strands(6, [&](int i) {
        if (i == 0 || i == 5) {
          l.wait();
          EXPECT_EQ(done, std::vector<int>(4, 1));
        } else {
          done[static_cast<std::size_t>(i) - 1] = 1;
          l.count_down();
        }
      });
    }
  });
}

TEST(Latch, AllArriveAndWait) {
  runtime r({.workers = 2, .caller_works = false});
  latch l(12);
  std::atomic<int> arrived{0};
  const auto arrive = [&](int k) {
    arrived.fetch_add(k, std::memory_order_relaxed);
    l.arrive_and_wait(k);
    EXPECT_EQ(arrived.load(std::memory_order_relaxed), 12);
  };
  std::thread a([&] { arrive(1); }), b([&] { arrive(2); });
  r.run([&] { in_strands(9, [&](int) { arrive(1); }); });
  a.join();
  b.join();
}

TEST(Latch, ADeadlineEndsAWait) {
  on_workers_and_threads(2, [] {
    latch l(3);
    std::error_code error;
    l.wait(error, short_time);
    EXPECT_TRUE(is_timeout(error));
    EXPECT_THROW(l.wait(short_time), std::system_error);
    l.arrive_and_wait(error, short_time);
    EXPECT_TRUE(is_timeout(error));
    EXPECT_THROW(l.arrive_and_wait(short_time), std::system_error);
    l.count_down();
    EXPECT_TRUE(l.try_wait()) << "each that arrived has counted down";
    l.wait(error, -short_time);
    EXPECT_FALSE(error) << "it need not wait";
    l.wait(long_time);
  });
}

TEST(Latch, AStopEndsAWaitAndNoOther) {
  on_one_and_two_workers([](runtime&) {
    latch l(1);
    std::stop_source source;
    std::atomic<bool> is_over{false};
    parallel_invoke(
        [&] {
          l.wait();
          is_over.store(true);
        },
        [&] {
          std::error_code error;
          l.wait(error, {source.get_token(), long_time});
          EXPECT_TRUE(is_stop(error));
          EXPECT_FALSE(is_over.load());
          l.count_down();
        },
        [&] { source.request_stop(); });
    EXPECT_THROW(l.wait(source.get_token()), nopal::stopped) << "requested before";
  });
}

nopal::task<> waits(latch& l, std::atomic<int>& went) {
  co_await l.wait();
  went.fetch_add(1);
}
nopal::task<> waits_in_vain(latch& l) {
  std::error_code error;
  co_await l.wait(error, short_time);
  EXPECT_TRUE(is_timeout(error));
  try {
    co_await l.wait(short_time);
    ADD_FAILURE() << "the latch is not down";
  } catch (const std::system_error& thrown) {
    EXPECT_TRUE(is_timeout(thrown.code()));
  }
  co_await l.arrive_and_wait();
}
nopal::task<> many_tasks() {
  latch l(2);
  std::atomic<int> went{0};
  for (int i = 0; i < 20; ++i) co_await nopal::fork(waits, l, went);
  co_await nopal::fork(waits_in_vain, l);
  co_await l.arrive_and_wait();
  co_await nopal::join();
  EXPECT_EQ(went.load(), 20);
}

TEST(Latch, TasksAwaitIt) {
  on_one_and_two_workers([](runtime&) { nopal::wait(many_tasks()); });
}

TEST(Latch, MayEndWhenTheWaitIsOver) {
  runtime r({.workers = 1, .caller_works = false});
  nopal::semaphore asked(0);
  std::optional<latch> l;
  constexpr int rounds = 60;
  std::vector<std::thread> others;
  for (int t = 0; t < 2; ++t)
    others.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) {
        asked.acquire();
        l->count_down();
      }
    });
  for (int i = 0; i < rounds; ++i) {
    l.emplace(2);
    asked.release(2);
    switch (i % 3) {
      case 0:
        l->wait();
        break;
      case 1:
        r.run([&] { l->wait(); });
        break;
      default:
        while (!l->try_wait()) {
          std::error_code ended_before;
          l->wait(ended_before, std::chrono::microseconds(i % 50));
        }
    }
    l.reset();
  }
  for (std::thread& t : others) t.join();
}

}  // namespace
