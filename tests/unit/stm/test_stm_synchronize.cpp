// SPDX-License-Identifier: Apache-2.0
// synchronize() waits for transactions, and lets what they wait for run meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "nopal/async.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/stm.hpp"

namespace {

namespace stm = nopal::stm;
using stm::transaction;

TEST(StmSynchronize, WaitsForWhatRuns) {
  stm::var<int> v{0};
  std::atomic<int> phase{0};
  std::thread runs([&] {
    stm::atomically([&](transaction& t) {
      static_cast<void>(t.get(v));
      phase = 1;
      while (phase == 1) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      phase = 3;
    });
  });
  while (phase == 0) std::this_thread::yield();
  EXPECT_EQ(stm::stats().running, 1U);
  phase = 2;
  stm::synchronize();
  EXPECT_EQ(phase, 3);
  runs.join();
}

// The worker on which the transaction ends has begun none itself.
TEST(StmSynchronize, FreesWhatATransactionHasDestroyedThatEndsOnAnotherWorker) {
  static std::atomic<int> ended;
  ended = 0;
  struct counts_end {
    ~counts_end() { ++ended; }
  };
  {
    nopal::runtime two({.workers = 2, .caller_works = false});
    two.run([&] {
      nopal::task_scope s;
      stm::atomically([&](transaction& t) {
        t.destroy(t.make<counts_end>());
        const auto first = nopal::current_worker();
        while (nopal::current_worker() == first) {
          nopal::countdown go(1);
          // The other worker is handed to the transaction, if that sleeps already. The first one
          // is kept busy until the other has begun.
          s.spawn([&] {
            std::atomic<bool> begun{false};
            if (nopal::current_worker() != first) return go.signal_and_end();
            s.spawn([&] {
              begun = true;
              go.signal_and_end();
            });
            while (!begun) std::this_thread::yield();
          });
          go.wait();
        }
      });
      s.join();
    });
  }
  stm::synchronize();
  EXPECT_EQ(ended, 1);
}

TEST(StmSynchronize, AWorkerRunsTheSuspendedTransactionMeanwhile) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime one({.workers = 1, .caller_works = caller_works});
    stm::var<int> v{0};
    int order = 0;
    one.run([&] {
      nopal::countdown go(1);
      nopal::parallel_invoke(
          [&] {
            stm::atomically([&](transaction& t) {
              static_cast<void>(t.get(v));
              go.wait();  // the strand is suspended within the transaction
            });
            order = 1;
          },
          [&] {
            go.signal();
            stm::synchronize();
            EXPECT_EQ(order, 1);
          });
    });
  }
}

// The only worker always finds the strand in synchronize() ready to go on. What the transaction
// waits for has not begun, and must get its turn all the same.
TEST(StmSynchronize, AWorkerBeginsTheSpawnedFunctionThatATransactionWaitsFor) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime one({.workers = 1, .caller_works = caller_works});
    stm::var<int> v{0};
    int order = 0;
    one.run([&] {
      nopal::task_scope s;
      nopal::countdown go(1);
      nopal::parallel_invoke(
          [&] {
            stm::atomically([&](transaction& t) {
              static_cast<void>(t.get(v));
              s.spawn([&] { go.signal(); });
              go.wait();
            });
            order = 1;
          },
          [&] {
            stm::synchronize();
            EXPECT_EQ(order, 1);
          });
      s.join();
    });
  }
}

TEST(StmSynchronize, AWorkerRunsACallFromAnotherThreadMeanwhile) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime one({.workers = 1, .caller_works = caller_works});
    stm::var<int> v{0};
    std::atomic<bool> is_suspended{false};
    nopal::countdown go(1);
    int order = 0;
    std::thread caller([&] {
      while (!is_suspended) std::this_thread::yield();
      one.run([&] { go.signal(); });
    });
    one.run([&] {
      nopal::parallel_invoke(
          [&] {
            stm::atomically([&](transaction& t) {
              static_cast<void>(t.get(v));
              go.wait();
            });
            order = 1;
          },
          [&] {
            is_suspended = true;
            stm::synchronize();
            EXPECT_EQ(order, 1);
          });
    });
    caller.join();
  }
}

TEST(StmSynchronize, ManyStrandsOfOneWorkerWaitAtOnce) {
  for (const bool caller_works : {false, true}) {
    nopal::runtime one({.workers = 1, .caller_works = caller_works});
    stm::var<int> v{0};
    int order = 0;
    one.run([&] {
      nopal::task_scope waiters, signaller;
      nopal::countdown go(1);
      nopal::parallel_invoke(
          [&] {
            stm::atomically([&](transaction& t) {
              static_cast<void>(t.get(v));
              signaller.spawn([&] { go.signal(); });
              for (int i = 0; i < 20; ++i)
                waiters.spawn([&] {
                  stm::synchronize();
                  EXPECT_EQ(order, 1);
                });
              go.wait();
            });
            order = 1;
          },
          [] {});
      waiters.join();
      signaller.join();
    });
  }
}

}  // namespace
