// SPDX-License-Identifier: Apache-2.0
// Consumers that wait: strands and tasks are suspended, and limits end a wait.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/async/countdown.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/pool.hpp"
#include "nopal/runtime.hpp"
#include "nopal/stop.hpp"
#include "nopal/task.hpp"
#include "nopal/wait/stopped.hpp"
#include "support/watchdog.hpp"
#include "unit/sync/on_workers.hpp"

namespace {

using namespace nopal_test;
using nopal::parallel_invoke;
using nopal::pool;
using nopal::pool_consumer;
using nopal::runtime;

nopal::task<> get_in_task(pool_consumer<int>& from, std::optional<int>& to) {
  to = co_await from.wait();
}

/// Lets all that can go on do so, in a strand.
void let_others_run() {
  pool<int> empty;
  EXPECT_FALSE(empty.consumer().wait_for(short_time).has_value());
}

TEST(PoolWait, MoreConsumersThanWorkersWait) {
  const nopal_test::watchdog w(std::chrono::seconds(60), "consumers that wait", 0);
  on_one_and_two_workers([](runtime&) {
    constexpr int n = 5;
    pool<int> p({.consumers = n, .chunk = 2});
    std::atomic<int> sum{0};
    in_strands(n + 1, [&](int i) {
      if (i < n) {
        auto out = p.consumer();
        if (i % 2 == 0) {
          for (const int x : out.all()) sum += x;
        } else {
          nopal::wait([](pool_consumer<int>& from, std::atomic<int>& to) -> nopal::task<> {
            for (;;) {
              const std::optional<int> x = co_await from.wait();
              if (!x) break;
              to += *x;
            }
          }(out, sum));
        }
      } else {
        auto in = p.producer();
        for (int x = 1; x <= 100; ++x) {
          in.put(x);
          if (x % 10 == 0) let_others_run();
        }
        p.close();
      }
    });
    EXPECT_EQ(sum, 5050);
  });
}

TEST(PoolWait, EachOfThoseThatWaitIsWoken) {
  runtime one({.workers = 1, .caller_works = false});
  one.run([&] {
    pool<int> p({.consumers = 3});
    auto in = p.producer();
    auto a = p.consumer(), b = p.consumer(), c = p.consumer();
    std::optional<int> got_a, got_b, got_c;
    parallel_invoke([&] { got_a = a.wait(); }, [&] { nopal::wait(get_in_task(b, got_b)); },
                    [&] { got_c = c.wait(); },
                    [&] {
                      // Only the first put finds that somebody is to be woken.
                      in.put(1);
                      in.put(2);
                      in.put(3);
                    });
    EXPECT_EQ(got_a.value_or(0) + got_b.value_or(0) + got_c.value_or(0), 6);
  });
}

TEST(PoolWait, WhoeverIsWokenInVainWaitsAgain) {
  const auto test = [](auto wait) {
    runtime one({.workers = 1, .caller_works = false});
    one.run([&] {
      pool<int> p({.consumers = 2});
      auto in = p.producer();
      auto waits = p.consumer(), is_faster = p.consumer();
      std::optional<int> got;
      parallel_invoke([&] { wait(waits, got); },
                      [&] {
                        for (int i = 0; i < 3; ++i) {
                          in.put(i);
                          EXPECT_EQ(is_faster.get(), i);
                          let_others_run();
                          EXPECT_FALSE(got.has_value());
                        }
                        in.put(7);
                      });
      EXPECT_EQ(got, 7);
    });
    EXPECT_GE(one.stats().total.suspensions, 1U);
  };
  test([](auto& from, auto& to) { to = from.wait(); });
  test([](auto& from, auto& to) { to = from.wait(long_time); });
  test([](auto& from, auto& to) { nopal::wait(get_in_task(from, to)); });
  test([](auto& from, auto& to) {
    nopal::wait([](pool_consumer<int>& c, std::optional<int>& o) -> nopal::task<> {
      std::error_code error;
      o = co_await c.wait(error, long_time);
      EXPECT_FALSE(error);
    }(from, to));
  });
}

TEST(PoolWait, ADeadlineEndsAWait) {
  on_workers_and_threads(2, [] {
    pool<int> p;
    auto in = p.producer();
    auto out = p.consumer();
    std::error_code error;
    std::optional<int> none = out.wait(error, short_time);
    EXPECT_TRUE(is_timeout(error));
    EXPECT_FALSE(none.has_value());
    EXPECT_THROW(static_cast<void>(out.wait(short_time)), std::system_error);
    in.put(1);
    const std::optional<int> late = out.wait(error, -short_time);
    EXPECT_EQ(late, 1) << "it need not wait";
    EXPECT_FALSE(error);
    EXPECT_FALSE(out.wait_until(std::chrono::system_clock::now() + short_time).has_value());
  });
}

TEST(PoolWait, AStopEndsAWaitAndNoOther) {
  on_one_and_two_workers([](runtime&) {
    pool<int> p({.consumers = 2});
    auto in = p.producer();
    auto out = p.consumer(), other = p.consumer();
    std::stop_source source;
    std::optional<int> got;
    bool is_stopped = false;
    nopal::countdown has_ended(1);
    parallel_invoke([&] { got = other.wait(); },
                    [&] {
                      try {
                        static_cast<void>(out.wait(source.get_token()));
                      } catch (const nopal::stopped&) {
                        is_stopped = true;
                      }
                      has_ended.signal();
                    },
                    [&] {
                      source.request_stop();
                      has_ended.wait();  // or it might take what is put
                      in.put(1);
                    });
    EXPECT_TRUE(is_stopped);
    EXPECT_EQ(got, 1);
    in.put(2);
    EXPECT_THROW(static_cast<void>(out.wait(source.get_token())), nopal::stopped);
    EXPECT_EQ(out.wait_for(long_time, source.get_token()), 2) << "it comes before the stop";
  });
}

TEST(PoolWait, ATaskThatIsStoppedTakesNothing) {
  runtime one({.workers = 1, .caller_works = false});
  one.run([] {
    pool<int> p;
    auto in = p.producer();
    auto out = p.consumer();
    std::stop_source source;
    std::error_code error;
    parallel_invoke(
        [&] {
          nopal::wait(
              [](pool_consumer<int>& c, std::stop_token stop, std::error_code& e) -> nopal::task<> {
                const std::optional<int> x = co_await c.wait(e, std::move(stop));
                EXPECT_FALSE(x.has_value());
              }(out, source.get_token(), error));
        },
        [&] { source.request_stop(); });
    EXPECT_TRUE(is_stop(error));
    in.put(1);
    EXPECT_EQ(out.get(), 1);
  });
}

TEST(PoolWait, AStopOfTheScopeEndsAWait) {
  on_one_and_two_workers([](runtime&) {
    pool<int> p({.consumers = 4});
    auto a = p.consumer(), b = p.consumer(), c = p.consumer(), d = p.consumer();
    std::stop_source source;
    std::optional<int> none;
    parallel_invoke(
        [&] {
          EXPECT_THROW(nopal::with_stop(source.get_token(), [&] { none = a.wait(); }),
                       nopal::stopped);
        },
        [&] {
          EXPECT_THROW(nopal::with_stop(source.get_token(),
                                        [&] {
                                          for (int& x : b.all()) none = x;
                                        }),
                       nopal::stopped);
        },
        [&] {
          EXPECT_THROW(
              nopal::with_stop(source.get_token(), [&] { nopal::wait(get_in_task(c, none)); }),
              nopal::stopped);
        },
        [&] {
          EXPECT_THROW(nopal::with_stop(source.get_token(),
                                        [&] { none = d.wait_for(std::chrono::hours(1)); }),
                       nopal::stopped);
        },
        [&] { source.request_stop(); });
    EXPECT_FALSE(none.has_value());
  });
}

TEST(PoolWait, TheEndOfThePoolEndsAllWaits) {
  on_one_and_two_workers([](runtime&) {
    pool<int> p({.consumers = 70});
    std::atomic<int> ended{0};
    std::thread outside([&] {
      auto out = p.consumer();
      const std::optional<int> none = out.wait();
      EXPECT_FALSE(none.has_value());
    });
    in_strands(70, [&](int i) {
      if (i == 69) return p.close();
      auto out = p.consumer();
      std::optional<int> got;
      if (i % 2 == 0)
        got = out.wait(long_time);
      else
        nopal::wait(get_in_task(out, got));
      EXPECT_FALSE(got.has_value());
      ++ended;
    });
    outside.join();
    EXPECT_EQ(ended, 69);
  });
}

struct throws_when_moved {
  explicit throws_when_moved(int x) : value(x) {}
  throws_when_moved(throws_when_moved&& other) : value(other.value) {
    if (value < 0) throw std::runtime_error("moved");
  }
  int value;
};

TEST(PoolWait, WhatAMoveThrowsIsThrown) {
  on_one_and_two_workers([](runtime&) {
    pool<throws_when_moved> p;
    auto in = p.producer();
    auto out = p.consumer();
    const auto wait_in_task = [](pool_consumer<throws_when_moved>& c) -> nopal::task<> {
      static_cast<void>(co_await c.wait());
    };
    for (const bool by_task : {false, true}) {
      parallel_invoke(
          [&] {
            if (by_task)
              EXPECT_THROW(nopal::wait(wait_in_task(out)), std::runtime_error);
            else
              EXPECT_THROW(static_cast<void>(out.wait()), std::runtime_error);
          },
          [&] { in.emplace(-1); });
    }
    in.emplace(1);
    EXPECT_EQ(std::optional<throws_when_moved>(out.wait())->value, 1);
  });
}

}  // namespace
