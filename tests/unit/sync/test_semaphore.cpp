// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/sync/semaphore.hpp"
#include "nopal/task.hpp"
#include "nopal/wait/stopped.hpp"
#include "on_workers.hpp"

namespace {

using namespace nopal_test;
using nopal::parallel_invoke;
using nopal::runtime;
using nopal::semaphore;

TEST(Semaphore, CountsItsPermits) {
  semaphore s(2);
  EXPECT_TRUE(s.try_acquire());
  s.acquire();
  EXPECT_FALSE(s.try_acquire());
  s.release(3);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(s.try_acquire());
  EXPECT_FALSE(s.try_acquire());
  s.release(0);
  EXPECT_FALSE(s.try_acquire());
}

TEST(Semaphore, AStrandWaitsForAStrand) {
  on_one_and_two_workers([](runtime& r) {
    for (int i = 0; i < 50; ++i) {
      semaphore s(0);
      int seen = 0;
      parallel_invoke(
          [&] {
            s.acquire();
            EXPECT_EQ(seen, 1);
          },
          [&] {
            seen = 1;
            s.release();
          });
    }
    if (r.workers() == 1) {
      EXPECT_EQ(r.stats().total.suspensions, 50U);
    }
  });
}

TEST(Semaphore, ThreadsAndStrandsWaitForEachOther) {
  runtime r({.workers = 1, .caller_works = false});
  semaphore to_strand(0), to_thread(0);
  int turns = 0;
  std::thread other([&] {
    for (int i = 0; i < 100; ++i) {
      to_thread.acquire();
      ++turns;
      to_strand.release();
    }
  });
  r.run([&] {
    for (int i = 0; i < 100; ++i) {
      to_thread.release();
      to_strand.acquire();
      EXPECT_EQ(turns, i + 1);
    }
  });
  other.join();
}

TEST(Semaphore, ServesWhoeverHasComeFirst) {
  runtime one({.workers = 1, .caller_works = false});
  one.run([] {
    semaphore s(0);
    std::vector<int> came, went;
    in_strands(9, [&](int i) {
      if (i == 8) {
        EXPECT_EQ(came.size(), 8U);
        return s.release();
      }
      came.push_back(i);
      s.acquire();
      went.push_back(i);
      s.release();
    });
    EXPECT_EQ(went, came);
    EXPECT_TRUE(s.try_acquire());
  });
}

TEST(Semaphore, NobodyComesBeforeThoseThatWait) {
  runtime one({.workers = 1, .caller_works = false});
  one.run([] {
    semaphore s(0);
    parallel_invoke([&] { s.acquire(); },
                    [&] {
                      s.release();
                      EXPECT_FALSE(s.try_acquire()) << "the one that waits has the permit";
                      s.release(2);
                      EXPECT_TRUE(s.try_acquire());
                    });
    EXPECT_TRUE(s.try_acquire());
    EXPECT_FALSE(s.try_acquire());
  });
}

TEST(Semaphore, GivesManyPermitsAtOnce) {
  on_one_and_two_workers([](runtime&) {
    semaphore s(0);
    in_strands(65, [&](int i) {
      if (i == 64)
        s.release(66);
      else
        s.acquire();
    });
    EXPECT_TRUE(s.try_acquire());
    EXPECT_TRUE(s.try_acquire());
    EXPECT_FALSE(s.try_acquire());
  });
}

TEST(Semaphore, ADeadlineEndsAWait) {
  on_workers_and_threads(2, [] {
    semaphore s(0);
    EXPECT_FALSE(s.try_acquire_for(short_time));
    EXPECT_FALSE(s.try_acquire_until(std::chrono::system_clock::now() + short_time));
    EXPECT_FALSE(s.try_acquire_for(-short_time));
    std::error_code error;
    s.acquire(error, short_time);
    EXPECT_TRUE(is_timeout(error));
    EXPECT_THROW(s.acquire(short_time), std::system_error);
    s.release();
    EXPECT_TRUE(s.try_acquire_for(-short_time)) << "it need not wait";
    s.release();
    s.acquire(error, long_time);
    EXPECT_FALSE(error);
    EXPECT_FALSE(s.try_acquire()) << "one that ended has taken no permit";
  });
}

TEST(Semaphore, AStopEndsAWait) {
  on_one_and_two_workers([](runtime&) {
    semaphore s(0);
    std::stop_source source;
    parallel_invoke(
        [&] {
          std::error_code error;
          s.acquire(error, {source.get_token(), long_time});
          EXPECT_TRUE(is_stop(error));
        },
        [&] { source.request_stop(); });
    s.release();
    EXPECT_THROW(s.acquire(source.get_token()), nopal::stopped) << "requested before";
    EXPECT_TRUE(s.try_acquire());
  });
}

TEST(Semaphore, OneThatEndsLetsTheNextBeServed) {
  on_one_and_two_workers([](runtime&) {
    semaphore s(0), ended(0);
    std::stop_source source;
    parallel_invoke(
        [&] {
          std::error_code error;
          s.acquire(error, source.get_token());
          EXPECT_TRUE(is_stop(error));
          ended.release();
        },
        [&] { s.acquire(); },
        [&] {
          source.request_stop();
          ended.acquire();
          s.release();
        });
    EXPECT_FALSE(s.try_acquire());
  });
}

nopal::task<int> acquires(semaphore& s, int& seen) {
  co_await s.acquire();
  co_return seen;
}
nopal::task<> releases(semaphore& s, int& seen) {
  seen = 7;
  s.release();
  co_return;
}
nopal::task<> acquires_within(semaphore& s, std::stop_source& source) {
  std::error_code error;
  co_await s.acquire(error, short_time);
  EXPECT_TRUE(is_timeout(error));
  try {
    co_await s.acquire(short_time);
    ADD_FAILURE() << "it has acquired";
  } catch (const std::system_error& thrown) {
    EXPECT_TRUE(is_timeout(thrown.code()));
  }
  co_await s.acquire(error, {source.get_token(), long_time});
  EXPECT_TRUE(is_stop(error));
  s.release();
  co_await s.acquire(error, long_time);
  EXPECT_FALSE(error);
}
nopal::task<> stops(std::stop_source& source) {
  source.request_stop();
  co_return;
}
nopal::task<> all_kinds_of_tasks() {
  semaphore s(0);
  int seen = 0, got = 0;
  co_await nopal::fork(&got, acquires, s, seen);
  co_await nopal::fork(releases, s, seen);
  co_await nopal::join();
  EXPECT_EQ(got, 7);
  std::stop_source source;
  co_await nopal::fork(acquires_within, s, source);
  co_await nopal::fork(stops, source);
  co_await nopal::join();
  EXPECT_FALSE(s.try_acquire());
}

TEST(Semaphore, TasksAwaitIt) {
  on_one_and_two_workers([](runtime&) { nopal::wait(all_kinds_of_tasks()); });
}

TEST(Semaphore, MayEndWhenTheLastPermitIsAcquired) {
  runtime r({.workers = 1, .caller_works = false});
  semaphore asked(0);
  std::optional<semaphore> s;
  std::thread other([&] {
    for (int i = 0; i < 100; ++i) {
      asked.acquire();
      s->release();
    }
  });
  for (int i = 0; i < 100; ++i) {
    s.emplace(0);
    asked.release();
    if (i % 2 == 0)
      s->acquire();
    else
      r.run([&] { s->acquire(); });
    s.reset();
  }
  other.join();
}

TEST(Semaphore, LosesAndMakesNoPermit) {
  runtime r({.workers = 2, .caller_works = false});
  semaphore s(0);
  std::atomic<int> acquired{0}, released{0};
  const auto acquire = [&](int i) {
    const bool has =
        i % 3 == 0 ? s.try_acquire_for(std::chrono::microseconds(i % 200)) : s.try_acquire();
    if (has) acquired.fetch_add(1);
  };
  const auto release = [&](int i) {
    s.release(1 + i % 2);
    released.fetch_add(1 + i % 2);
  };
  std::thread other([&] {
    for (int i = 0; i < 300; ++i) i % 2 == 0 ? acquire(i) : release(i);
  });
  r.run([&] { in_strands(250, [&](int i) { i % 2 == 0 ? acquire(i) : release(i); }); });
  other.join();
  while (s.try_acquire()) acquired.fetch_add(1);
  EXPECT_EQ(acquired.load(), released.load());
}

TEST(Semaphore, BoundsHowManyAreInside) {
  on_one_and_two_workers([](runtime&) {
    constexpr int permits = 3;
    semaphore s(permits), changes(1);
    int inside = 0, most = 0;
    const auto change = [&](int by) {
      changes.acquire();
      inside += by;
      most = std::max(most, inside);
      changes.release();
    };
    in_strands(200, [&](int) {
      s.acquire();
      change(1);
      parallel_invoke([] {}, [] {});
      change(-1);
      s.release();
    });
    EXPECT_EQ(inside, 0);
    EXPECT_LE(most, permits);
    for (int i = 0; i < permits; ++i) EXPECT_TRUE(s.try_acquire());
    EXPECT_FALSE(s.try_acquire());
  });
}

}  // namespace
