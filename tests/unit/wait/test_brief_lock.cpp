// SPDX-License-Identifier: Apache-2.0
// The lock of four bytes: it excludes, and lets threads sleep that find it taken for long.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "nopal/detail/wait/brief_lock.hpp"
#include "support/build.hpp"
#include "support/sleeper.hpp"

namespace {

using nopal::detail::brief_lock;
using nopal_test::sleeper;

static_assert(sizeof(brief_lock) == 4);

TEST(BriefLock, IsTakenOnce) {
  brief_lock l;
  EXPECT_TRUE(l.try_lock());
  EXPECT_FALSE(l.try_lock());
  l.unlock();
  l.lock();
  EXPECT_FALSE(l.try_lock());
  l.unlock();
  EXPECT_TRUE(l.try_lock());
  l.unlock();
}

TEST(BriefLock, ExcludesUnderContention) {
  constexpr unsigned threads = 4;
  const int times = 100'000 / static_cast<int>(nopal_test::with_tsan ? 10 : 1);
  brief_lock l;
  long sum = 0;
  bool inside = false;
  std::vector<std::jthread> all;
  for (unsigned t = 0; t < threads; ++t)
    all.emplace_back([&, t] {
      for (int i = 0; i < times; ++i) {
        if (t == 0) {
          while (!l.try_lock()) std::this_thread::yield();
        } else {
          l.lock();
        }
        EXPECT_FALSE(inside);
        inside = true;
        ++sum;
        inside = false;
        l.unlock();
      }
    });
  all.clear();
  EXPECT_EQ(sum, static_cast<long>(threads) * times);
}

// Several threads sleep in the kernel. One wake-up after the other lets all of them go on.
TEST(BriefLock, ThoseThatSleepGoOnOneAfterTheOther) {
  brief_lock l;
  l.lock();
  int through = 0;
  std::vector<std::unique_ptr<sleeper>> all;
  for (int t = 0; t < 4; ++t) {
    all.push_back(std::make_unique<sleeper>([&] {
      const std::lock_guard held(l);
      ++through;
    }));
    all.back()->until_asleep();
  }
  EXPECT_EQ(through, 0);
  EXPECT_FALSE(l.try_lock());
  l.unlock();
  for (auto& t : all) t->join();
  EXPECT_EQ(through, 4);
  EXPECT_TRUE(l.try_lock());
}

// Whoever has locked it may destroy it: unlock() of the one before is over for the lock.
TEST(BriefLock, MayEndWhenItsNextOwnerHasIt) {
  const int rounds = nopal_test::with_sanitizer ? 200 : 2000;
  for (int i = 0; i < rounds; ++i) {
    auto l = std::make_unique<brief_lock>();
    l->lock();
    std::jthread next([&] {
      l->lock();
      l.reset();
    });
    if (i % 2 == 0) std::this_thread::yield();
    l->unlock();
  }
}

}  // namespace
