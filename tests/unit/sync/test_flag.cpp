// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>

#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/sync/flag.hpp"
#include "nopal/sync/semaphore.hpp"
#include "nopal/task.hpp"
#include "nopal/wait/stopped.hpp"
#include "on_workers.hpp"

namespace {

using namespace nopal_test;
using nopal::flag;
using nopal::parallel_invoke;
using nopal::runtime;

TEST(Flag, IsSetAndReset) {
  flag f;
  EXPECT_FALSE(f.is_set());
  f.reset();
  EXPECT_FALSE(f.is_set());
  f.set();
  f.set();
  EXPECT_TRUE(f.is_set());
  f.wait();
  f.wait();
  f.reset();
  EXPECT_FALSE(f.is_set());
}

TEST(Flag, ManyWaitForOne) {
  on_one_and_two_workers([](runtime& r) {
    constexpr int n = 100;
    flag f;
    int seen = 0;
    std::atomic<int> went{0};
    in_strands(n, [&](int i) {
      if (i == n / 2) {
        seen = 1;
        f.set();
      } else {
        f.wait();
        EXPECT_EQ(seen, 1);
        went.fetch_add(1, std::memory_order_relaxed);
      }
    });
    EXPECT_EQ(went.load(), n - 1);
    if (r.workers() == 1) {
      EXPECT_GE(r.stats().total.suspensions, std::size_t{n / 2});
    }
  });
}

TEST(Flag, WhoeverWaitsGoesOnEvenIfItIsReset) {
  runtime one({.workers = 1, .caller_works = false});
  one.run([] {
    flag f;
    int went = 0;
    in_strands(5, [&](int i) {
      if (i < 4) {
        f.wait();
        ++went;
      } else {
        f.set();
        f.reset();
        EXPECT_EQ(went, 0);
      }
    });
    EXPECT_EQ(went, 4);
    EXPECT_FALSE(f.is_set());
  });
}

TEST(Flag, ThreadsAndStrandsWaitForEachOther) {
  runtime r({.workers = 1, .caller_works = false});
  flag there, back;
  int turns = 0;
  std::thread other([&] {
    for (int i = 0; i < 100; ++i) {
      there.wait();
      there.reset();
      ++turns;
      back.set();
    }
  });
  r.run([&] {
    for (int i = 0; i < 100; ++i) {
      there.set();
      back.wait();
      back.reset();
      EXPECT_EQ(turns, i + 1);
    }
  });
  other.join();
}

TEST(Flag, ADeadlineEndsAWait) {
  on_workers_and_threads(2, [] {
    flag f;
    std::error_code error;
    f.wait(error, short_time);
    EXPECT_TRUE(is_timeout(error));
    EXPECT_THROW(f.wait(short_time), std::system_error);
    EXPECT_FALSE(f.is_set());
    f.set();
    f.wait(error, -short_time);
    EXPECT_FALSE(error) << "it need not wait";
    f.wait(long_time);
  });
}

TEST(Flag, AStopEndsAWaitAndNoOther) {
  on_one_and_two_workers([](runtime&) {
    flag f;
    std::stop_source source;
    parallel_invoke([&] { f.wait(); },
                    [&] {
                      std::error_code error;
                      f.wait(error, {source.get_token(), long_time});
                      EXPECT_TRUE(is_stop(error));
                      EXPECT_FALSE(f.is_set());
                      f.set();
                    },
                    [&] { source.request_stop(); });
    EXPECT_THROW(f.wait(source.get_token()), nopal::stopped) << "requested before";
  });
}

nopal::task<> waits(flag& f, std::atomic<int>& went) {
  co_await f.wait();
  went.fetch_add(1);
}
nopal::task<> waits_in_vain(flag& f) {
  std::error_code error;
  co_await f.wait(error, short_time);
  EXPECT_TRUE(is_timeout(error));
  f.set();
  co_await f.wait(error, short_time);
  EXPECT_FALSE(error);
}
nopal::task<> many_tasks() {
  flag f;
  std::atomic<int> went{0};
  for (int i = 0; i < 20; ++i) co_await nopal::fork(waits, f, went);
  co_await nopal::fork(waits_in_vain, f);
  co_await f.wait();
  co_await nopal::join();
  EXPECT_EQ(went.load(), 20);
}

TEST(Flag, TasksAwaitIt) {
  on_one_and_two_workers([](runtime&) { nopal::wait(many_tasks()); });
}

TEST(Flag, MayEndWhenTheWaitIsOver) {
  runtime r({.workers = 1, .caller_works = false});
  nopal::semaphore asked(0);
  std::optional<flag> f;
  constexpr int rounds = 60;
  std::thread other([&] {
    for (int i = 0; i < rounds; ++i) {
      asked.acquire();
      f->set();
    }
  });
  for (int i = 0; i < rounds; ++i) {
    f.emplace();
    asked.release();
    switch (i % 3) {
      case 0:
        f->wait();
        break;
      case 1:
        r.run([&] { f->wait(); });
        break;
      default:
        while (!f->is_set()) {
          std::error_code ended_before;
          f->wait(ended_before, std::chrono::microseconds(i % 50));
        }
    }
    f.reset();
  }
  other.join();
}

}  // namespace
