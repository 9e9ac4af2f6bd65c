// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "nopal/async.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/task.hpp"

namespace {

TEST(Countdown, OfNoneIsDone) {
  nopal::countdown d;
  EXPECT_TRUE(d.done());
  d.wait();
}

TEST(Countdown, AThreadWaitsForAThread) {
  nopal::countdown d(2);
  int seen = 0;
  std::thread other([&] {
    seen = 1;
    d.signal();
    d.signal();
  });
  d.wait();
  EXPECT_EQ(seen, 1);
  other.join();
}

TEST(Countdown, AStrandWaitsForAStrandOnOneWorker) {
  nopal::runtime one({.workers = 1});
  int order = 0;
  one.run([&] {
    nopal::countdown d(1);
    nopal::parallel_invoke(
        [&] {
          d.wait();
          EXPECT_EQ(order, 1);
          order = 2;
        },
        [&] {
          order = 1;
          d.signal();
        });
  });
  EXPECT_EQ(order, 2);
}

TEST(Countdown, TheLastActHandsTheWorkerOver) {
  nopal::runtime one({.workers = 1});
  int order = 0;
  one.run([&] {
    nopal::countdown d(1);
    nopal::parallel_invoke(
        [&] {
          d.wait();
          order = 2;
        },
        [&] {
          order = 1;
          d.signal_and_end();
        });
  });
  EXPECT_EQ(order, 2);
}

nopal::task<int> waits(nopal::countdown& d) {
  co_await d;
  co_return 7;
}

TEST(Countdown, ATaskWaitsForAThread) {
  nopal::runtime one({.workers = 1});
  nopal::countdown d(1);
  std::thread other([&] { d.signal(); });
  EXPECT_EQ(one.run([&] { return waits(d); }), 7);
  other.join();
}

TEST(Countdown, IsUsedAgain) {
  nopal::runtime two({.workers = 2});
  two.run([&] {
    nopal::countdown d;
    for (int i = 0; i < 1000; ++i) {
      d.add();
      nopal::parallel_invoke([&] { d.wait(); }, [&] { d.signal(); });
    }
  });
}

}  // namespace
