// SPDX-License-Identifier: Apache-2.0
// Limits of waits for countdowns, for pending results and for the end of a scope.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <system_error>
#include <thread>

#include "nopal/async.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/reducer.hpp"
#include "nopal/runtime.hpp"
#include "nopal/stop.hpp"
#include "nopal/task.hpp"
#include "nopal/wait/stopped.hpp"
#include "unit/sync/on_workers.hpp"

namespace {

using namespace nopal_test;
using nopal::countdown;
using nopal::parallel_invoke;
using nopal::pending;
using nopal::runtime;
using nopal::task_scope;

/// Awaits wait(error, within).
template <class Wait>
nopal::task<> as_task(Wait& wait, std::error_code& error, nopal::limits within) {
  co_await wait(error, within);
}
template <class Wait>
void expect_timeout(Wait&& wait) {
  std::error_code error;
  wait(error, short_time);
  EXPECT_TRUE(is_timeout(error));
  error.clear();
  nopal::wait(as_task(wait, error, short_time));
  EXPECT_TRUE(is_timeout(error));
}
template <class Wait>
void expect_done(Wait&& wait) {
  std::error_code error = std::make_error_code(std::errc::timed_out);
  wait(error, -short_time);
  EXPECT_FALSE(error) << "it need not wait";
  nopal::wait(as_task(wait, error, long_time));
  EXPECT_FALSE(error);
}

TEST(CountdownLimits, ADeadlineEndsAWait) {
  on_workers_and_threads(2, [] {
    countdown d(2);
    const auto wait = [&](std::error_code& e, const nopal::limits& l) { return d.wait(e, l); };
    expect_timeout(wait);
    EXPECT_THROW(d.wait(short_time), std::system_error);
    d.signal();
    expect_timeout(wait);
    EXPECT_FALSE(d.done()) << "a signal is still to come";
    d.signal();
    EXPECT_TRUE(d.done());
    expect_done(wait);
    d.wait(long_time);
    d.add();
    EXPECT_FALSE(d.done()) << "it counts from 0 again";
    d.signal();
  });
}

TEST(CountdownLimits, ASignalEndsAWait) {
  on_one_and_two_workers([](runtime&) {
    for (const bool by_task : {false, true}) {
      for (const bool is_last_act : {false, true}) {
        countdown d(1);
        std::error_code error;
        parallel_invoke(
            [&] {
              const auto wait = [&](std::error_code& e, nopal::limits l) { return d.wait(e, l); };
              if (by_task)
                nopal::wait(as_task(wait, error, long_time));
              else
                wait(error, long_time);
            },
            [&] { is_last_act ? d.signal_and_end() : d.signal(); });
        EXPECT_FALSE(error);
        EXPECT_TRUE(d.done());
      }
    }
  });
}

TEST(CountdownLimits, AStopEndsAWaitAndTheNextOneIsServed) {
  on_one_and_two_workers([](runtime&) {
    countdown d(1);
    std::stop_source source;
    bool is_stopped = false;
    countdown has_ended(1);
    parallel_invoke(
        [&] {
          try {
            d.wait(source.get_token());
          } catch (const nopal::stopped&) {
            is_stopped = true;
          }
          has_ended.signal();
          d.wait();
        },
        [&] {
          source.request_stop();
          has_ended.wait();  // or the signal might come first
          d.signal();
        });
    EXPECT_TRUE(is_stopped);
    EXPECT_THROW(d.wait(source.get_token()), nopal::stopped) << "though it need not wait";
  });
}

TEST(PendingLimits, TheResultIsStillToBeTaken) {
  on_workers_and_threads(2, [] {
    task_scope s;
    countdown gate(1);
    pending<std::unique_ptr<int>> p = s.async([&] {
      gate.wait();
      return std::make_unique<int>(7);
    });
    const auto wait = [&](std::error_code& e, const nopal::limits& l) { return p.wait(e, l); };
    expect_timeout(wait);
    EXPECT_THROW(static_cast<void>(p.get(short_time)), std::system_error);
    EXPECT_THROW(p.wait(short_time), std::system_error);
    EXPECT_TRUE(p.valid());
    EXPECT_FALSE(p.ready());
    gate.signal();
    p.wait();
    EXPECT_TRUE(p.ready());
    expect_done(wait);
    const std::unique_ptr<int> result = p.get(long_time);
    EXPECT_EQ(*result, 7);
    EXPECT_FALSE(p.valid());
    EXPECT_THROW(p.wait(), std::logic_error);
    EXPECT_THROW(static_cast<void>(p.get(long_time)), std::logic_error);
  });
}

TEST(PendingLimits, ATaskGetsTheResultWithinLimits) {
  on_one_and_two_workers([](runtime&) {
    int x = 1;
    task_scope s;
    pending<int&> reference = s.async([&]() -> int& { return x; });
    pending<void> nothing = s.async([] {});
    pending<int> throws = s.async([]() -> int { throw std::runtime_error("thrown"); });
    nopal::wait([](pending<int&>& r, pending<void>& n, pending<int>& t) -> nopal::task<> {
      int& of = co_await r.get(long_time);
      ++of;
      co_await n.get(long_time);
      bool has_thrown = false;
      try {
        static_cast<void>(co_await t.get(long_time));
      } catch (const std::runtime_error&) {
        has_thrown = true;
      }
      EXPECT_TRUE(has_thrown);
      has_thrown = false;
      try {
        static_cast<void>(co_await t);
      } catch (const std::logic_error&) {
        has_thrown = true;
      }
      EXPECT_TRUE(has_thrown);
    }(reference, nothing, throws));
    EXPECT_EQ(x, 2);
  });
}

TEST(ScopeLimits, AJoinThatEndsByItsDeadlineHasNotJoined) {
  on_one_and_two_workers([](runtime&) {
    nopal::reducer<nopal::monoid::add<int>> sum;
    task_scope s;
    countdown gate(1);
    s.spawn([] { throw std::runtime_error("thrown"); });
    s.spawn([&] {
      gate.wait();
      sum += 1;
    });
    const auto join = [&](std::error_code& e, const nopal::limits& l) { return s.join(e, l); };
    expect_timeout(join);
    EXPECT_THROW(s.join(short_time), std::system_error);
    EXPECT_FALSE(s.get_stop_token().stop_requested());
    s.spawn([&] { sum += 1; });
    gate.signal();
    EXPECT_THROW(s.join(long_time), std::runtime_error) << "the exception was kept";
    expect_done(join);
    EXPECT_EQ(sum.get_value(), 2) << "and so were the views";
  });
}

TEST(CountdownLimits, AStopOfTheScopeEndsAWait) {
  on_one_and_two_workers([](runtime&) {
    countdown d(1), e(1);
    std::stop_source source;
    parallel_invoke(
        [&] {
          EXPECT_THROW(nopal::with_stop(source.get_token(), [&] { d.wait(); }), nopal::stopped);
        },
        [&] {
          const auto awaits = [](countdown& of) -> nopal::task<> { co_await of; };
          EXPECT_THROW(nopal::with_stop(source.get_token(), [&] { nopal::wait(awaits(e)); }),
                       nopal::stopped);
        },
        [&] { source.request_stop(); });
    d.signal();
    e.signal();
    d.wait();
    e.wait();
  });
}

TEST(ScopeLimits, AStopOfTheScopeEndsAJoinWithLimitsAlone) {
  on_one_and_two_workers([](runtime&) {
    std::stop_source source;
    countdown gate(1);
    std::error_code error;
    nopal::with_stop(source.get_token(), [&] {
      task_scope s;
      s.spawn([&] { nopal::without_stop([&] { gate.wait(); }); });
      parallel_invoke([&] { s.join(error, long_time); }, [&] { source.request_stop(); });
      EXPECT_TRUE(is_stop(error));
      gate.signal();
      s.join();
    });
  });
}

TEST(ScopeLimits, AStopEndsAJoin) {
  on_one_and_two_workers([](runtime&) {
    task_scope s;
    countdown gate(1);
    std::stop_source source;
    std::error_code error;
    s.spawn([&] { gate.wait(); });
    parallel_invoke([&] { s.join(error, source.get_token()); }, [&] { source.request_stop(); });
    EXPECT_TRUE(is_stop(error));
    gate.signal();
    s.join();
  });
}

TEST(ScopeLimits, ATaskJoins) {
  on_one_and_two_workers([](runtime&) {
    task_scope s;
    int ran = 0;
    nopal::wait([](task_scope& of, int& n) -> nopal::task<> {
      of.spawn([&] { ++n; });
      co_await of.join();
      of.spawn([&] { ++n; });
      co_await of.join(long_time);
      of.spawn([] { throw std::runtime_error("thrown"); });
      bool has_thrown = false;
      try {
        co_await of.join();
      } catch (const std::runtime_error&) {
        has_thrown = true;
      }
      EXPECT_TRUE(has_thrown);
    }(s, ran));
    EXPECT_EQ(ran, 2);
  });
}

TEST(ScopeLimits, AShutdownThatGivesTimeAndThenStops) {
  runtime r({.workers = 2, .caller_works = false});
  task_scope s(r);
  std::atomic<bool> was_stopped{false};
  s.spawn([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) std::this_thread::yield();
    was_stopped = true;
  });
  std::error_code error;
  s.join(error, short_time);
  EXPECT_TRUE(is_timeout(error));
  EXPECT_FALSE(was_stopped);
  s.request_stop();
  s.join(error, long_time);
  EXPECT_FALSE(error);
  EXPECT_TRUE(was_stopped);
}

}  // namespace
