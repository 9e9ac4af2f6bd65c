// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/sync/condition.hpp"
#include "nopal/sync/mutex.hpp"
#include "nopal/sync/semaphore.hpp"
#include "nopal/task.hpp"
#include "nopal/wait/stopped.hpp"
#include "on_workers.hpp"

namespace {

using namespace nopal_test;
using nopal::condition;
using nopal::mutex;
using nopal::runtime;

TEST(Condition, ANotificationThatNobodyWaitsForDoesNothing) {
  mutex m;
  condition c;
  c.notify_one();
  c.notify_all();
  std::unique_lock held(m);
  EXPECT_EQ(c.wait_for(held, short_time), std::cv_status::timeout);
  EXPECT_TRUE(held.owns_lock());
  EXPECT_FALSE(m.try_lock());
}

TEST(Condition, NotifiesInOrder) {
  runtime one({.workers = 1, .caller_works = false});
  one.run([] {
    mutex m;
    condition c;
    std::vector<int> went;
    in_strands(6, [&](int i) {
      std::unique_lock held(m);
      if (i < 5) c.wait(held);
      if (i < 5) went.push_back(i);
      EXPECT_FALSE(m.try_lock());
      c.notify_one();
    });
    EXPECT_EQ(went, (std::vector<int>{0, 1, 2, 3, 4}));
    EXPECT_TRUE(m.try_lock());
    m.unlock();
  });
}

TEST(Condition, ManyWaitUntilThePredicateHolds) {
  on_one_and_two_workers([](runtime& r) {
    constexpr int n = 60;
    mutex m;
    condition c;
    int value = 0, went = 0;
    in_strands(n, [&](int i) {
      std::unique_lock held(m);
      if (i % 2 == 0) {
        c.wait(held, [&] { return value == n / 2; });
        EXPECT_EQ(value, n / 2);
        ++went;
      } else {
        ++value;
        held.unlock();
        c.notify_all();
      }
    });
    EXPECT_EQ(went, n / 2);
    if (r.workers() == 1) {
      EXPECT_GE(r.stats().total.suspensions, std::size_t{n / 2} - 1);
    }
  });
}

TEST(Condition, ThreadsAndStrandsShareAQueue) {
  runtime r({.workers = 2, .caller_works = false});
  mutex m;
  condition not_empty, not_full;
  std::deque<int> queue;
  std::atomic<int> sum{0};
  constexpr int each = 100;
  const auto produce = [&] {
    for (int i = 1; i <= each; ++i) {
      std::unique_lock held(m);
      not_full.wait(held, [&] { return queue.size() < 3; });
      queue.push_back(i);
      not_empty.notify_one();
    }
  };
  const auto consume = [&] {
    for (int i = 0; i < each; ++i) {
      std::unique_lock held(m);
      not_empty.wait(held, [&] { return !queue.empty(); });
      sum.fetch_add(queue.front(), std::memory_order_relaxed);
      queue.pop_front();
      not_full.notify_one();
    }
  };
  std::thread a(produce), b(consume);
  r.run([&] { nopal::parallel_invoke(consume, produce, consume, produce); });
  a.join();
  b.join();
  EXPECT_EQ(sum.load(), 3 * each * (each + 1) / 2);
}

TEST(Condition, ADeadlineEndsAWait) {
  on_workers_and_threads(2, [] {
    mutex m;
    condition c;
    std::unique_lock held(m);
    std::error_code error;
    bool holds = false;
    const auto predicate = [&] { return holds; };
    c.wait(held, error, short_time);
    EXPECT_TRUE(is_timeout(error));
    EXPECT_THROW(c.wait(held, short_time), std::system_error);
    EXPECT_THROW(c.wait(held, predicate, short_time), std::system_error);
    c.wait(held, predicate, error, -short_time);
    EXPECT_TRUE(is_timeout(error));
    EXPECT_FALSE(c.wait_for(held, short_time, predicate));
    EXPECT_FALSE(c.wait_until(held, std::chrono::system_clock::now() + short_time, predicate));
    EXPECT_EQ(c.wait_until(held, std::chrono::steady_clock::now()), std::cv_status::timeout);
    EXPECT_FALSE(m.try_lock()) << "each has locked it again";
    holds = true;
    EXPECT_TRUE(c.wait_for(held, -short_time, predicate)) << "it need not wait";
    c.wait(held, predicate, error, short_time);
    EXPECT_FALSE(error);
  });
}

TEST(Condition, AStopEndsAWait) {
  on_one_and_two_workers([](runtime&) {
    mutex m;
    condition c;
    std::stop_source source;
    bool waits = false;
    nopal::parallel_invoke(
        [&] {
          std::unique_lock held(m);
          waits = true;
          std::error_code error;
          c.wait(held, error, {source.get_token(), long_time});
          EXPECT_TRUE(is_stop(error));
          EXPECT_FALSE(m.try_lock());
          EXPECT_THROW(c.wait(held, source.get_token()), nopal::stopped) << "requested before";
          EXPECT_FALSE(m.try_lock());
          c.wait(held, [] { return true; }, source.get_token());
          EXPECT_THROW(c.wait(held, [] { return false; }, source.get_token()), nopal::stopped);
          EXPECT_TRUE(held.owns_lock());
        },
        [&] {
          while (true) {
            const std::lock_guard held(m);
            if (waits) break;
          }
          source.request_stop();
        });
  });
}

TEST(Condition, NoLimitEndsTheLock) {
  runtime one({.workers = 1, .caller_works = false});
  one.run([] {
    mutex m;
    condition c;
    std::stop_source source;
    bool is_unlocked = false;
    nopal::parallel_invoke(
        [&] {
          std::unique_lock held(m);
          std::error_code error;
          c.wait(held, error, {source.get_token(), long_time});
          EXPECT_TRUE(is_stop(error));
          EXPECT_TRUE(is_unlocked);
        },
        [&] {
          const std::lock_guard held(m);
          source.request_stop();
          nopal::semaphore never(0);
          EXPECT_FALSE(never.try_acquire_for(short_time)) << "the other one comes to wait for m";
          is_unlocked = true;
        });
  });
}

TEST(Condition, OneThatHasEndedTakesNoNotification) {
  on_one_and_two_workers([](runtime&) {
    mutex m;
    condition c;
    std::stop_source source;
    int waiting = 0;
    bool ended = false, notified = false;
    in_strands(3, [&](int i) {
      std::unique_lock held(m);
      if (i == 0) {
        ++waiting;
        std::error_code error;
        c.wait(held, [] { return false; }, error, source.get_token());
        EXPECT_TRUE(is_stop(error));
        ended = true;
      } else if (i == 1) {
        ++waiting;
        c.wait(held);
        notified = true;
      } else {
        while (waiting < 2) {
          held.unlock();
          std::this_thread::yield();
          held.lock();
        }
        source.request_stop();
        c.notify_one();
        c.notify_one();
      }
    });
    EXPECT_TRUE(ended);
    EXPECT_TRUE(notified);
  });
}

TEST(Condition, WhatThePredicateThrowsGoesOn) {
  mutex m;
  condition c;
  std::unique_lock held(m);
  const auto throws = []() -> bool { throw std::runtime_error("thrown"); };
  EXPECT_THROW(c.wait(held, throws), std::runtime_error);
  EXPECT_THROW(c.wait_for(held, long_time, throws), std::runtime_error);
  EXPECT_FALSE(m.try_lock());
}

struct shared_value {
  mutex m;
  condition c;
  int value = 0;
  int went = 0;
};

nopal::task<> waits_for(shared_value& s, int least) {
  co_await s.m.lock();
  std::unique_lock held(s.m, std::adopt_lock);
  co_await s.c.wait(held, [&] { return s.value >= least; });
  EXPECT_FALSE(s.m.try_lock());
  ++s.went;
}
nopal::task<> waits_for_one(shared_value& s) {
  co_await s.m.lock();
  std::unique_lock held(s.m, std::adopt_lock);
  while (s.value == 0) co_await s.c.wait(held);
  ++s.went;
}
nopal::task<> waits_in_vain(shared_value& s, std::stop_source& source) {
  co_await s.m.lock();
  std::unique_lock held(s.m, std::adopt_lock);
  std::error_code error;
  const auto never = [] { return false; };
  co_await s.c.wait(held, never, error, short_time);
  EXPECT_TRUE(is_timeout(error));
  try {
    co_await s.c.wait(held, never, short_time);
    ADD_FAILURE() << "the predicate does not hold";
  } catch (const std::system_error& thrown) {
    EXPECT_TRUE(is_timeout(thrown.code()));
  }
  EXPECT_FALSE(s.m.try_lock());
  source.request_stop();
  co_await s.c.wait(held, error, source.get_token());
  EXPECT_TRUE(is_stop(error));
  try {
    co_await s.c.wait(held, never, source.get_token());
    ADD_FAILURE() << "a stop has been requested";
  } catch (const nopal::stopped&) {
  }
  try {
    co_await s.c.wait(held, []() -> bool { throw std::runtime_error("thrown"); });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error&) {
  }
  co_await s.c.wait(held, [] { return true; }, error, source.get_token());
  EXPECT_FALSE(error);
  EXPECT_FALSE(s.m.try_lock());
  ++s.went;
}
nopal::task<> raises(shared_value& s) {
  for (int i = 0; i < 10; ++i) {
    co_await s.m.lock();
    const std::lock_guard held(s.m, std::adopt_lock);
    ++s.value;
    s.c.notify_all();
  }
}
nopal::task<> many_tasks(shared_value& s, std::stop_source& source) {
  for (int i = 0; i < 10; ++i) co_await nopal::fork(waits_for, s, i + 1);
  co_await nopal::fork(waits_for_one, s);
  co_await nopal::fork(waits_in_vain, s, source);
  co_await nopal::fork(raises, s);
  co_await nopal::join();
  EXPECT_EQ(s.went, 12);
}

TEST(Condition, TasksAwaitIt) {
  on_one_and_two_workers([](runtime&) {
    shared_value s;
    std::stop_source source;
    nopal::wait(many_tasks(s, source));
    EXPECT_TRUE(s.m.try_lock());
    s.m.unlock();
  });
}

TEST(Condition, MayEndWhenAllAreNotified) {
  runtime r({.workers = 1, .caller_works = false});
  mutex m;
  std::optional<condition> c;
  for (int i = 0; i < 100; ++i) {
    c.emplace();
    bool waits = false;
    const auto wait = [&] {
      std::unique_lock held(m);
      waits = true;
      c->wait(held);
    };
    std::thread other([&] { i % 2 == 0 ? wait() : r.run(wait); });
    for (;; std::this_thread::yield()) {
      const std::lock_guard held(m);
      if (!waits) continue;
      c->notify_all();
      c.reset();
      break;
    }
    other.join();
  }
}

}  // namespace
