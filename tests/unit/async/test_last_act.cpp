// SPDX-License-Identifier: Apache-2.0
// countdown::signal_and_end(): the last act of a strand, which hands its worker over.
#include <gtest/gtest.h>

#include <cstddef>
#include <thread>
#include <vector>

#include "nopal/async.hpp"
#include "nopal/fork_frame.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/task.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal::countdown;
using nopal::parallel_invoke;
using nopal::runtime;

/// Only a worker hands itself over: a guest goes on with its own call.
constexpr nopal::options one_worker{.workers = 1, .caller_works = false};

/// A strand that waits for a countdown is the only one that suspends where this is used.
void until_suspended(const runtime& r, unsigned strands) {
  while (r.stats().total.suspensions < strands) std::this_thread::yield();
}

nopal::task<int> waits(countdown& d) {
  co_await d;
  co_return 7;
}

TEST(LastAct, IsDoneWhenTheStrandHasEnded) {
  runtime one(one_worker);
  int order = 0;
  one.run([&] {
    countdown d(1);
    parallel_invoke(
        [&] {
          d.wait();
          EXPECT_EQ(order, 1);
        },
        [&] {
          d.signal_and_end();
          EXPECT_FALSE(d.done());
          order = 1;
        });
  });
}

TEST(LastAct, IsDoneWhenTheStrandSuspends) {
  runtime one(one_worker);
  one.run([] {
    countdown first(1), second(1);
    parallel_invoke(
        [&] {
          first.wait();
          second.signal();
        },
        [&] {
          first.signal_and_end();
          second.wait();
        });
    // Its own last act lets it go on.
    first.add();
    first.signal_and_end();
    first.wait();
  });
}

/// A thread that waits on the runtime, for each countdown: in this order they suspend.
std::vector<std::thread> waiters(runtime& r, std::vector<countdown>& countdowns,
                                 std::vector<int>& order) {
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < countdowns.size(); ++i) {
    threads.emplace_back([&, i] {
      r.run([&] {
        countdowns[i].wait();
        order.push_back(static_cast<int>(i));
      });
    });
    until_suspended(r, static_cast<unsigned>(i) + 1);
  }
  return threads;
}

TEST(LastAct, HandsTheWorkerOverBeforeAllThatIsQueued) {
  runtime one(one_worker);
  std::vector<countdown> d(3);
  for (countdown& c : d) c.add();
  std::vector<int> order;
  auto threads = waiters(one, d, order);
  one.run([&] {
    d[0].signal();
    d[1].signal();
    d[2].signal_and_end();
  });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(order, (std::vector<int>{2, 1, 0}));
}

TEST(LastAct, OfSeveralTheLastIsDoneAtTheEnd) {
  runtime one(one_worker);
  std::vector<countdown> d(3);
  for (countdown& c : d) c.add();
  std::vector<int> order;
  auto threads = waiters(one, d, order);
  one.run([&] {
    for (countdown& c : d) c.signal_and_end();
    EXPECT_TRUE(d[1].done()) << "the last one takes its place";
    EXPECT_FALSE(d[2].done());
  });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(order, (std::vector<int>{2, 1, 0}));
}

// The strand that signals is the last to arrive at its join: its worker could go on with the strand
// behind the join, and with the one that waits.
TEST(LastAct, OfTheLastToArriveAtAJoin) {
  nopal_test::everywhere([] {
    nopal::run([] {
      for (int i = 0; i < 100; ++i) {
        countdown d(1), suspends(1);
        parallel_invoke([&] { parallel_invoke([&] { suspends.wait(); }, [&] { d.wait(); }); },
                        [&] {
                          parallel_invoke(
                              [&] {
                                countdown inner(1);
                                parallel_invoke([&] { inner.wait(); }, [&] { inner.signal(); });
                              },
                              [&] { d.signal_and_end(); });
                          suspends.signal();
                        });
      }
    });
  });
}

nopal::task<> signals(countdown& d) {
  d.signal_and_end();
  co_return;
}

nopal::task<int> waits_beside(countdown& d) {
  int r = 0;
  co_await nopal::fork(&r, waits, d);
  co_await nopal::call(signals, d);
  co_await nopal::join();
  co_return r;
}

TEST(LastAct, OfATask) {
  nopal_test::everywhere([] {
    for (int i = 0; i < 100; ++i) {
      countdown d(1);
      EXPECT_EQ(nopal::run([&] { return waits_beside(d); }), 7);
    }
  });
}

TEST(LastAct, HandsTheWorkerOverToATask) {
  runtime one(one_worker);
  countdown d(1);
  std::thread waiter([&] { EXPECT_EQ(one.run([&] { return waits(d); }), 7); });
  until_suspended(one, 1);
  one.run([&] { d.signal_and_end(); });
  waiter.join();
}

TEST(LastAct, OfACallFromOutside) {
  for (const bool caller_works : {false, true}) {
    runtime two({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 100; ++i) {
      countdown d(1);
      two.run([&] { d.signal_and_end(); });
      d.wait();
    }
  }
}

TEST(LastAct, OfAGuestIsDoneWhenItsCallReturns) {
  runtime one({.workers = 1});
  countdown first(1), second(1);
  one.run([&] {
    first.signal_and_end();
    second.signal_and_end();
    EXPECT_TRUE(first.done()) << "the last one takes its place";
    EXPECT_FALSE(second.done());
  });
  EXPECT_TRUE(second.done());
}

TEST(LastAct, OfAStrandThatThrows) {
  nopal_test::everywhere([] {
    countdown d(1);
    bool went_on = false;
    EXPECT_THROW(parallel_invoke(
                     [&] {
                       d.wait();
                       went_on = true;
                     },
                     [&] {
                       d.signal_and_end();
                       throw 1;
                     }),
                 int);
    EXPECT_TRUE(went_on);
  });
}

}  // namespace
