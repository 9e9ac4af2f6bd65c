// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/sync/flag.hpp"
#include "nopal/sync/semaphore.hpp"
#include "nopal/sync/shared_mutex.hpp"
#include "nopal/task.hpp"
#include "nopal/wait/stopped.hpp"
#include "on_workers.hpp"

namespace {

using namespace nopal_test;
using nopal::runtime;
using nopal::shared_mutex;

bool is_free(shared_mutex& m) {
  const std::unique_lock held(m, std::try_to_lock);
  return held.owns_lock();
}

TEST(SharedMutex, HasOneWriterOrManyReaders) {
  shared_mutex m;
  {
    const std::lock_guard writes(m);
    EXPECT_FALSE(m.try_lock());
    EXPECT_FALSE(m.try_lock_shared());
  }
  {
    const std::shared_lock reads(m);
    EXPECT_FALSE(m.try_lock());
    EXPECT_TRUE(m.try_lock_shared());
    m.unlock_shared();
    EXPECT_FALSE(m.try_lock());
  }
  EXPECT_TRUE(is_free(m));
}

TEST(SharedMutex, FirstComeFirstServed) {
  runtime one({.workers = 1, .caller_works = false});
  one.run([] {
    shared_mutex m;
    const std::string kinds = "rrwwrrrwr";  // each reader waits for its neighbours
    const std::vector<std::size_t> group{0, 0, 9, 9, 1, 1, 1, 9, 2};
    const std::vector<int> size{2, 3, 1};
    std::vector<nopal::flag> all_read(3);
    std::string order;
    int readers = 0;
    m.lock();
    in_strands(10, [&](int i) {
      if (i == 9) {
        EXPECT_EQ(order, "");
        return m.unlock();
      }
      if (kinds[static_cast<std::size_t>(i)] == 'w') {
        const std::lock_guard writes(m);
        EXPECT_EQ(readers, 0);
        order += 'w';
      } else {
        const std::shared_lock reads(m);
        order += 'r';
        EXPECT_FALSE(m.try_lock());
        const std::size_t g = group[static_cast<std::size_t>(i)];
        if (++readers == size[g]) all_read[g].set();
        all_read[g].wait();
        --readers;
      }
    });
    EXPECT_EQ(order, kinds);
    EXPECT_TRUE(is_free(m));
  });
}

TEST(SharedMutex, NoReaderComesBeforeAWriterThatWaits) {
  runtime one({.workers = 1, .caller_works = false});
  one.run([] {
    shared_mutex m;
    m.lock_shared();
    bool written = false;
    in_strands(2, [&](int i) {
      if (i == 0) {
        const std::lock_guard writes(m);
        written = true;
      } else {
        EXPECT_FALSE(m.try_lock_shared());
        EXPECT_FALSE(m.try_lock_shared_for(short_time));
        EXPECT_FALSE(written);
        m.unlock_shared();
      }
    });
    EXPECT_TRUE(written);
    EXPECT_TRUE(is_free(m));
  });
}

TEST(SharedMutex, ReadersGoOnWhenAWriterBeforeThemEnds) {
  on_one_and_two_workers([](runtime&) {
    shared_mutex m;
    std::stop_source source;
    nopal::semaphore writer_ended(0), read(0);
    m.lock_shared();
    in_strands(4, [&](int i) {
      if (i == 0) {
        std::error_code error;
        m.lock(error, source.get_token());
        EXPECT_TRUE(is_stop(error));
        writer_ended.release();
      } else if (i < 3) {
        const std::shared_lock reads(m);
        read.release();
      } else {
        source.request_stop();
        writer_ended.acquire();
        read.acquire();
        read.acquire();
        m.unlock_shared();
      }
    });
    EXPECT_TRUE(is_free(m));
  });
}

TEST(SharedMutex, LimitsEndAWait) {
  on_workers_and_threads(2, [] {
    shared_mutex m;
    std::error_code error;
    m.lock();
    EXPECT_FALSE(m.try_lock_for(short_time));
    EXPECT_FALSE(m.try_lock_until(std::chrono::system_clock::now() + short_time));
    EXPECT_FALSE(m.try_lock_shared_for(short_time));
    EXPECT_FALSE(m.try_lock_shared_until(std::chrono::steady_clock::now() + short_time));
    EXPECT_THROW(m.lock(short_time), std::system_error);
    EXPECT_THROW(m.lock_shared(short_time), std::system_error);
    m.lock(error, short_time);
    EXPECT_TRUE(is_timeout(error));
    m.lock_shared(error, short_time);
    EXPECT_TRUE(is_timeout(error));
    std::stop_source source;
    source.request_stop();
    EXPECT_THROW(m.lock(source.get_token()), nopal::stopped);
    m.unlock();
    EXPECT_TRUE(m.try_lock_shared_for(-short_time)) << "it need not wait";
    m.lock_shared(error, long_time);
    EXPECT_FALSE(error);
    EXPECT_FALSE(m.try_lock_for(short_time));
    m.unlock_shared();
    m.unlock_shared();
    EXPECT_TRUE(m.try_lock_for(short_time));
    m.unlock();
  });
}

TEST(SharedMutex, IsHeldAcrossForksAndJoins) {
  on_one_and_two_workers([](runtime&) {
    shared_mutex m;
    int value = 0;
    std::atomic<int> reads{0};
    in_strands(100, [&](int i) {
      if (i % 4 == 0) {
        const std::lock_guard writes(m);
        const int before = value;
        nopal::parallel_invoke([&] { ++value; }, [] {});
        EXPECT_EQ(value, before + 1);
      } else {
        const std::shared_lock shared(m);
        const int before = value;
        nopal::parallel_invoke([&] { reads.fetch_add(1); }, [] {});
        EXPECT_EQ(value, before);
      }
    });
    EXPECT_EQ(value, 25);
    EXPECT_EQ(reads.load(), 75);
    EXPECT_TRUE(is_free(m));
  });
}

TEST(SharedMutex, ThreadsAndStrandsWithDeadlines) {
  runtime r({.workers = 2, .caller_works = false});
  shared_mutex m;
  int value = 0;
  std::atomic<int> written{0};
  const auto use = [&](int i) {
    const auto patience = std::chrono::microseconds(i * 7 % 120);
    if (i % 3 == 0) {
      const std::unique_lock writes(m, patience);
      if (!writes) return;
      ++value;
      written.fetch_add(1, std::memory_order_relaxed);
    } else {
      const std::shared_lock reads(m, patience);
      if (!reads) return;
      const int before = value;
      std::this_thread::yield();
      EXPECT_EQ(value, before);
    }
  };
  std::thread other([&] {
    for (int i = 0; i < 300; ++i) use(i);
  });
  r.run([&] { in_strands(300, use); });
  other.join();
  EXPECT_EQ(value, written.load());
  EXPECT_TRUE(is_free(m));
}

nopal::task<> writes(shared_mutex& m, int& value) {
  co_await m.lock();
  ++value;
  m.unlock();
}
nopal::task<> reads(shared_mutex& m, const int& value) {
  co_await m.lock_shared();
  EXPECT_GE(value, 0);
  m.unlock_shared();
}
nopal::task<> ends(shared_mutex& m) {
  std::error_code error;
  co_await m.lock(error, short_time);
  EXPECT_TRUE(is_timeout(error));
  co_await m.lock_shared(error, short_time);
  EXPECT_TRUE(is_timeout(error));
  m.unlock();
}
nopal::task<> many_tasks() {
  shared_mutex m;
  int value = 0;
  co_await m.lock();
  for (int i = 0; i < 20; ++i) {
    co_await nopal::fork(reads, m, value);
    co_await nopal::fork(writes, m, value);
  }
  co_await nopal::fork(ends, m);
  co_await nopal::join();
  EXPECT_EQ(value, 20);
  EXPECT_TRUE(is_free(m));
}

TEST(SharedMutex, TasksAwaitIt) {
  on_one_and_two_workers([](runtime&) { nopal::wait(many_tasks()); });
}

TEST(SharedMutex, MayEndWhenTheLastHasIt) {
  runtime r({.workers = 1, .caller_works = false});
  for (int i = 0; i < 100; ++i) {
    std::optional<shared_mutex> m;
    m.emplace();
    m->lock();
    nopal::flag begun;
    std::thread other([&] {
      begun.set();
      m->unlock();
    });
    const auto lock = [&] {
      begun.wait();
      if (i % 4 < 2)
        m->lock_shared();
      else
        m->lock();
      m.reset();
    };
    i % 2 == 0 ? lock() : r.run(lock);
    other.join();
  }
}

}  // namespace
