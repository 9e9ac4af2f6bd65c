// SPDX-License-Identifier: Apache-2.0
// scheduler::close(): the last call in flight says that it is the last, once.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/owned_scheduler.hpp"

namespace {

using nopal::detail::owned_scheduler;

void count(void* calls) noexcept { static_cast<std::atomic<int>*>(calls)->fetch_add(1); }

TEST(Close, CallsNobodyIfNothingIsInFlight) {
  owned_scheduler s({.workers = 1}, {.threads = false});
  std::atomic<int> calls{0};
  s.started();
  s.finished();
  EXPECT_FALSE(s.is_closed());
  EXPECT_FALSE(s.close(count, &calls));
  EXPECT_TRUE(s.is_closed());
  EXPECT_FALSE(s.started_unless_ended());
  s.started();  // by mistake: the runtime has ended
  s.finished();
  EXPECT_EQ(calls, 0);
}

TEST(Close, IsAnsweredByTheLastInFlight) {
  owned_scheduler s({.workers = 1}, {.threads = false});
  std::atomic<int> calls{0};
  s.started();
  EXPECT_TRUE(s.started_unless_ended());
  EXPECT_TRUE(s.close(count, &calls));
  EXPECT_FALSE(s.started_unless_ended());
  s.started();  // what is in flight may start more
  s.finished();
  s.finished();
  EXPECT_EQ(calls, 0);
  s.finished();
  EXPECT_EQ(calls, 1);
  EXPECT_FALSE(s.started_unless_ended());
  EXPECT_EQ(calls, 1);
}

TEST(Close, IsAnsweredOnceWhileOthersCome) {
  for (int round = 0; round < 50; ++round) {
    owned_scheduler s({.workers = 1}, {.threads = false});
    std::atomic<int> calls{0};
    std::atomic<unsigned> began{0};
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        ++began;
        while (s.started_unless_ended()) s.finished();
      });
    }
    while (began < threads.size()) std::this_thread::yield();
    const bool waits = s.close(count, &calls);
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(calls, waits ? 1 : 0);
  }
}

}  // namespace
