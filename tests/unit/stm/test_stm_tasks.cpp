// SPDX-License-Identifier: Apache-2.0
// Transactions that tasks await.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>

#include "nopal/io.hpp"
#include "nopal/runtime.hpp"
#include "nopal/stm.hpp"
#include "nopal/task.hpp"

namespace {

namespace stm = nopal::stm;
using stm::transaction;

nopal::task<int> take(stm::var<int>& from) {
  co_return co_await stm::async_atomically([&](transaction& t) {
    const int x = t.get(from);
    if (x == 0) t.retry();
    t.set(from, x - 1);
    return x;
  });
}
nopal::task<> put(stm::var<int>& to, int n) {
  co_await stm::async_atomically([&to, n](transaction& t) { t.set(to, t.get(to) + n); });
}

TEST(StmTasks, WhatIsReturned) {
  stm::var<int> v{3};
  EXPECT_EQ(nopal::run(take, std::ref(v)), 3);
  nopal::run(put, std::ref(v), 5);
  EXPECT_EQ(v.value(), 7);
  int x = 1;
  nopal::run([&]() -> nopal::task<> {
    int& same = co_await stm::async_atomically([&](transaction&) -> int& { return x; });
    EXPECT_EQ(&same, &x);
    EXPECT_EQ(
        *co_await stm::async_atomically([](transaction&) { return std::make_unique<int>(4); }), 4);
    EXPECT_EQ(co_await stm::async_atomically<stm::hash_reads>(
                  [&](stm::basic_transaction<stm::hash_reads>& t) { return t.get(v); }),
              7);
  });
}

TEST(StmTasks, OneWaitsForAnotherOnOneWorker) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime one({.workers = 1, .caller_works = caller_works});
    stm::var<int> v{0};
    const auto before = stm::stats();
    const int sum = one.run([&]() -> nopal::task<int> {
      int a = 0, b = 0;
      co_await nopal::fork(&a, take, v);  // waits
      co_await nopal::fork(&b, take, v);  // likewise
      EXPECT_EQ(stm::stats().retries - before.retries, 2U);
      EXPECT_EQ(stm::stats().running, 0U);  // whoever sleeps does not count
      co_await put(v, 1);
      co_await put(v, 1);
      co_await nopal::join();
      co_return a + b;
    });
    EXPECT_EQ(v.value(), 0);
    EXPECT_TRUE(sum == 2 || sum == 3);  // by whether the second came before the first was awake
  }
}

TEST(StmTasks, OneThatRetriesTwiceWaitsTwice) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime one({.workers = 1, .caller_works = caller_works});
    stm::var<int> v{0};
    int attempts = 0;
    one.run([&]() -> nopal::task<> {
      auto waits = [&]() -> nopal::task<> {
        co_await stm::async_atomically([&](transaction& t) {
          ++attempts;
          if (t.get(v) < 2) t.retry();
        });
      };
      co_await nopal::fork(waits);
      for (int i = 1; i <= 2; ++i) {
        EXPECT_EQ(attempts, i);
        co_await put(v, 1);
        while (attempts == i) co_await nopal::async_blocking([] {});
      }
      co_await nopal::join();
    });
    EXPECT_EQ(attempts, 3);
  }
}

TEST(StmTasks, AThreadWakesIt) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime r({.workers = 2, .caller_works = caller_works});
    stm::var<int> v{0};
    const auto before = stm::stats().retries;
    std::jthread sets([&] {
      while (stm::stats().retries == before) std::this_thread::yield();
      stm::atomically([&](transaction& t) { t.set(v, 9); });
    });
    EXPECT_EQ(r.run(take, std::ref(v)), 9);
  }
}

TEST(StmTasks, AnExceptionUndoesAllAndGoesToWhoeverAwaits) {
  for (const bool caller_works : {false, true}) {
    stm::var<int> v{1}, w{0};
    int aborted = 0;
    nopal::runtime one({.workers = 1, .caller_works = caller_works});
    one.run([&]() -> nopal::task<> {
      auto throws = [&]() -> nopal::task<> {
        co_await stm::async_atomically([&](transaction& t) {
          t.on_abort([&] { ++aborted; });
          t.set(v, 2);
          if (t.get(w) == 0) t.retry();
          throw std::runtime_error("no");
        });
      };
      auto waits_and_throws = [&]() -> nopal::task<> {
        EXPECT_THROW(co_await throws(), std::runtime_error);
      };
      co_await nopal::fork(waits_and_throws);
      co_await put(w, 1);
      co_await nopal::join();
      EXPECT_THROW(co_await stm::async_atomically([](transaction& t) { t.retry(); }),
                   std::logic_error);
    });
    EXPECT_EQ(v.value(), 1);
    EXPECT_EQ(aborted, 2);
  }
}

TEST(StmTasks, AFlagEndsAWait) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime one({.workers = 1, .caller_works = caller_works});
    stm::var<int> v{0}, stop{0};
    one.run([&]() -> nopal::task<> {
      bool taken = true;
      auto take_or_stop = [&]() -> nopal::task<bool> {
        co_return co_await stm::async_atomically([&](transaction& t) {
          if (t.get(v) != 0) return true;
          if (t.get(stop) == 0) t.retry();
          return false;
        });
      };
      co_await nopal::fork(&taken, take_or_stop);
      co_await put(stop, 1);
      co_await nopal::join();
      EXPECT_FALSE(taken);
    });
  }
}

TEST(StmTasks, AConflictIsRepeated) {
  stm::var<int> v{0};
  int attempts = 0;
  nopal::run([&]() -> nopal::task<> {
    co_await stm::async_atomically([&](transaction& t) {
      const int x = t.get(v);
      if (++attempts <= 2)
        std::thread([&] {
          stm::atomically([&](transaction& u) { u.set(v, 10 * attempts); });
        }).join();
      t.set(v, x + 1);
    });
  });
  EXPECT_EQ(attempts, 3);
  EXPECT_EQ(v.value(), 21);
}

/// Many producers and consumers: whoever is not woken is missed here.
TEST(StmTasks, AllThatIsPutIsTaken) {
  for (const bool caller_works : {false, true}) {
    constexpr int pairs = 8, rounds = 100;
    nopal::runtime r({.workers = 3, .caller_works = caller_works});
    stm::queue<int> q;
    std::atomic<long> sum{0};
    r.run([&]() -> nopal::task<> {
      auto consume = [&]() -> nopal::task<> {
        for (int k = 0; k < rounds; ++k)
          sum += co_await stm::async_atomically([&](transaction& t) { return q.pop(t); });
      };
      auto produce = [&]() -> nopal::task<> {
        for (int k = 1; k <= rounds; ++k)
          co_await stm::async_atomically([&](transaction& t) { q.push(t, k); });
      };
      for (int i = 0; i < pairs; ++i) {
        co_await nopal::fork(consume);
        co_await nopal::fork(produce);
      }
      co_await nopal::join();
    });
    EXPECT_EQ(sum, long{pairs} * rounds * (rounds + 1) / 2);
    EXPECT_TRUE(stm::atomically([&](transaction& t) { return q.empty(t); }));
  }
}

}  // namespace
