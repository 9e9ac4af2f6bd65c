// SPDX-License-Identifier: Apache-2.0
// retry(): threads and strands wait until something that they have read has changed.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/stm.hpp"

namespace {

namespace stm = nopal::stm;
using stm::transaction;

TEST(StmRetry, NeedsSomethingRead) {
  EXPECT_THROW(stm::atomically([](transaction& t) { t.retry(); }), std::logic_error);
}

TEST(StmRetry, OfTheLeftSideAloneNeedsNothing) {
  const auto left_or_right = [](transaction& t) {
    return t.or_else([](transaction& u) -> int { u.retry(); }, [](transaction&) { return 2; });
  };
  EXPECT_EQ(stm::atomically(left_or_right), 2);
  EXPECT_EQ(stm::irrevocably(left_or_right), 2);
}

TEST(StmRetry, AThreadSleeps) {
  stm::var<int> v{0}, other{0};
  std::thread waits([&] {
    stm::atomically([&](transaction& t) {
      if (t.get(v) < 3) t.retry();
      t.set(v, 100);
    });
  });
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    stm::atomically([&](transaction& t) { t.set(other, t.get(other) + 1); });
    stm::atomically([&](transaction& t) { t.set(v, t.get(v) + 1); });
  }
  waits.join();
  EXPECT_EQ(v.value(), 100);
}

TEST(StmRetry, AStrandIsSuspendedAndNotItsWorker) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime one({.workers = 1, .caller_works = caller_works});
    stm::var<int> v{0};
    int order = 0;
    one.run([&] {
      nopal::parallel_invoke(
          [&] {
            stm::atomically([&](transaction& t) {
              if (t.get(v) == 0) t.retry();
            });
            EXPECT_EQ(order, 1);
            order = 2;
          },
          [&] {
            order = 1;
            stm::atomically([&](transaction& t) { t.set(v, 1); });
          });
    });
    EXPECT_EQ(order, 2);
  }
}

TEST(StmRetry, WakesNobodyForNothing) {
  stm::var<int> v{0}, other{0};
  std::atomic<int> attempts{0};
  std::thread waits([&] {
    stm::atomically([&](transaction& t) {
      ++attempts;
      if (t.get(v) == 0) t.retry();
    });
  });
  while (attempts == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const int before = attempts;
  for (int i = 0; i < 100; ++i)
    stm::atomically([&](transaction& t) { t.set(other, t.get(other) + 1); });
  EXPECT_EQ(attempts, before);
  stm::atomically([&](transaction& t) { t.set(v, 1); });
  waits.join();
}

TEST(StmRetry, WhatIsWokenHasReadNothing) {
  stm::var<int> v{0};
  std::array<stm::var<int>, 3> others;
  std::atomic<int> attempts{0};
  std::size_t at_begin = 0, at_end = 0;
  std::thread waits([&] {
    stm::atomically([&](transaction& t) {
      ++attempts;
      at_begin = t.locations_read();
      if (t.get(v) == 0) {
        for (const stm::var<int>& o : others) static_cast<void>(t.get(o));
        t.retry();
      }
      at_end = t.locations_read();
    });
  });
  while (attempts == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  stm::atomically([&](transaction& t) { t.set(v, 1); });
  waits.join();
  EXPECT_EQ(attempts, 2);
  EXPECT_EQ(at_begin, 0U);
  EXPECT_EQ(at_end, 1U);
}

TEST(StmRetry, OrElse) {
  stm::var<int> a{0}, b{0}, note{0};
  const auto take = [&](stm::var<int>& v, int as) {
    return [&v, &note, as](transaction& t) {
      t.set(note, t.get(note) * 10 + as);
      const int x = t.get(v);
      if (x == 0) t.retry();
      t.set(v, 0);
      return x;
    };
  };
  const auto take_either = [&] {
    return stm::atomically([&](transaction& t) { return t.or_else(take(a, 1), take(b, 2)); });
  };
  stm::atomically([&](transaction& t) { t.set(b, 7); });
  EXPECT_EQ(take_either(), 7);
  EXPECT_EQ(note.value(), 2);  // what the first function has written is undone
  stm::atomically([&](transaction& t) { t.set(a, 8); });
  EXPECT_EQ(take_either(), 8);
  EXPECT_EQ(note.value(), 21);
  for (stm::var<int>* v : {&a, &b}) {  // a change to what either has read wakes it
    std::thread sets([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      stm::atomically([&](transaction& t) { t.set(*v, 9); });
    });
    EXPECT_EQ(take_either(), 9);
    sets.join();
  }
}

TEST(StmRetry, WhatItHasReadMayBeDestroyed) {
  struct node : stm::object<> {
    stm::field<int> key{0};
  };
  stm::var<node*> v{new node};
  std::thread waits([&] {
    stm::atomically([&](transaction& t) {
      const node* n = t.get(v);
      if (n != nullptr && t.get(*n, &node::key) == 0) t.retry();
    });
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  stm::atomically([&](transaction& t) {
    t.destroy(t.get(v));
    t.set(v, nullptr);
  });
  stm::synchronize();
  waits.join();
}

}  // namespace
