// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "nopal/nopal.hpp"
#include "support/io.hpp"

namespace {

using namespace std::chrono_literals;
using namespace nopal_test;

TEST_F(Io, BlockingReturnsWhatTheFunctionReturns) {
  everywhere([] {
    int x = 1;
    EXPECT_EQ(nopal::blocking([] { return 7; }), 7);
    EXPECT_EQ(*nopal::blocking([] { return std::make_unique<int>(8); }), 8);
    int& same = nopal::blocking([&]() -> int& { return x; });
    EXPECT_EQ(&same, &x);
    nopal::blocking([&] { x = 2; });
    EXPECT_EQ(x, 2);
  });
}

TEST_F(Io, BlockingThrowsWhatTheFunctionThrows) {
  everywhere([] {
    try {
      nopal::blocking([] { throw std::runtime_error("this"); });
      FAIL();
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "this");
    }
  });
}

TEST_F(Io, TheFunctionBeginsWithTheStateOfItsCaller) {
  everywhere([] {
    const int before = std::fegetround();
    std::fesetround(FE_UPWARD);
    EXPECT_EQ(nopal::blocking([] { return std::fegetround(); }), FE_UPWARD);
    std::fesetround(before);
    EXPECT_EQ(nopal::blocking([] { return std::fegetround(); }), before);
    try {
      throw std::runtime_error("that");
    } catch (...) {
      EXPECT_THROW(nopal::blocking([] { throw; }), std::runtime_error);
    }
  });
}

TEST_F(Io, TheWorkerGoesOnMeanwhile) {
  on_workers(1, [] {
    std::mutex m;
    std::condition_variable changed;
    bool ready = false;
    nopal::parallel_invoke(
        [&] {
          nopal::blocking([&] {
            std::unique_lock lock(m);
            changed.wait(lock, [&] { return ready; });
          });
        },
        [&] {
          const std::lock_guard lock(m);
          ready = true;
          changed.notify_one();
        });
  });
}

TEST_F(Io, ManyFunctionsWaitAtOnce) {
  on_workers(1, [] {
    std::atomic<int> arrived{0};
    constexpr int many = 100;
    nopal::for_each(nopal::grain{1}, 0, many, [&](int) {
      nopal::blocking([&] {
        ++arrived;
        while (arrived < many) std::this_thread::sleep_for(100us);
      });
    });
    EXPECT_GE(nopal::io::stats().helper_threads, 100U);
  });
}

TEST_F(Io, MoreFunctionsThanHelperThreadsAllEnd) {
  on_workers(1, [] {
    std::atomic<int> ended{0};
    nopal::for_each(nopal::grain{1}, 0, 2000, [&](int) {
      nopal::blocking([&] {
        std::this_thread::sleep_for(1ms);
        ++ended;
      });
    });
    EXPECT_EQ(ended, 2000);
    EXPECT_LE(nopal::io::stats().helper_threads, 512U);
  });
}

TEST_F(Io, HelperThreadsGo) {
  on_workers(1, [] { nopal::blocking([] {}); });
  EXPECT_GE(nopal::io::stats().helper_threads, 1U);
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (nopal::io::stats().helper_threads != 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(10ms);
  EXPECT_EQ(nopal::io::stats().helper_threads, 0U);
}

TEST_F(Io, HelperThreadsHaveTheCpusAndTheSignalsOfTheProgram) {
  cpu_set_t all;
  ASSERT_EQ(sched_getaffinity(0, sizeof all, &all), 0);
  sigset_t all_blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &all_blocked);
  on_workers(1, [&] {
    nopal::blocking([&] {
      cpu_set_t mine;
      sched_getaffinity(0, sizeof mine, &mine);
      EXPECT_TRUE(CPU_EQUAL(&mine, &all));
      sigset_t blocked;
      pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
      for (int signal = 1; signal < SIGRTMIN; ++signal)
        EXPECT_EQ(sigismember(&blocked, signal), sigismember(&all_blocked, signal)) << signal;
    });
  });
}

TEST_F(Io, ForksInTheFunctionGoToTheDefaultRuntime) {
  on_workers(1, [] { EXPECT_EQ(nopal::blocking([] { return nopal::run([] { return 3; }); }), 3); });
}

nopal::task<int> as_task() {
  int x = 0;
  co_await nopal::async_blocking([&] { x = 1; });
  EXPECT_THROW(co_await nopal::async_blocking([]() -> int { throw std::runtime_error("x"); }),
               std::runtime_error);
  co_return x + co_await nopal::async_blocking([] { return 41; });
}

TEST_F(Io, TasksAwaitFunctions) {
  on_workers(1, [] { EXPECT_EQ(nopal::wait(as_task()), 42); });
}

}  // namespace
