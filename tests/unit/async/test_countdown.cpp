// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "nopal/async.hpp"
#include "nopal/fork_frame.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/task.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal::countdown;
using nopal::parallel_invoke;
using nopal::runtime;

/// Compilers take it for granted that a function stays on its thread, so another one is asked.
[[gnu::noinline]] std::thread::id this_thread() {
  asm volatile("" : : : "memory");
  return std::this_thread::get_id();
}

/// What runs on one worker alone: nobody else takes part.
constexpr nopal::options one_worker{.workers = 1, .caller_works = false};

/// A strand that waits for a countdown is the only one that suspends in these tests.
void until_suspended(const runtime& r, unsigned strands) {
  while (r.stats().total.suspensions < strands) std::this_thread::yield();
}

TEST(Countdown, OfNoneIsDone) {
  countdown d;
  EXPECT_TRUE(d.done());
  d.wait();
  d.wait();
}

TEST(Countdown, IsDoneAfterAllSignals) {
  countdown d(1);
  d.add(2);
  d.add(0);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(d.done());
    d.signal();
  }
  EXPECT_TRUE(d.done());
  d.wait();
  EXPECT_TRUE(d.done());
  d.add(5);
  d.signal(4);
  EXPECT_FALSE(d.done()) << "it counts from 0 again";
}

// Threads, strands and tasks wait, and signal.

TEST(Countdown, AThreadWaitsForAThread) {
  countdown d(2);
  int seen = 0;
  std::thread other([&] {
    seen = 1;
    d.signal();
    d.signal_and_end();
  });
  d.wait();
  EXPECT_EQ(seen, 1);
  other.join();
}

TEST(Countdown, AThreadWaitsForAStrand) {
  runtime one({.workers = 1});
  for (int i = 0; i < 100; ++i) {
    auto d = std::make_unique<countdown>(1);
    int seen = 0;
    std::thread other([&] {
      one.run([&] {
        seen = 1;
        if (i % 2 == 0)
          d->signal();
        else
          d->signal_and_end();
      });
    });
    d->wait();
    EXPECT_EQ(seen, 1);
    d.reset();  // while the call of signal() may not have returned yet
    other.join();
  }
}

TEST(Countdown, AStrandWaitsForAThread) {
  for (const bool caller_works : {false, true}) {
    runtime one({.workers = 1, .caller_works = caller_works});
    countdown d(1);
    std::thread other([&] {
      until_suspended(one, 1);
      one.run([] {});  // the worker, or the other thread, goes on meanwhile
      d.signal();
    });
    one.run([&] { d.wait(); });
    other.join();
    EXPECT_EQ(one.stats().total.suspensions, 1U);
  }
}

TEST(Countdown, AStrandWaitsForAStrandOnOneWorker) {
  for (const bool caller_works : {false, true}) {
    runtime one({.workers = 1, .caller_works = caller_works});
    int order = 0;
    one.run([&] {
      countdown d(1);
      parallel_invoke(
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
}

TEST(Countdown, DoesNotSuspendWhoeverComesAfterTheLastSignal) {
  for (const bool caller_works : {false, true}) {
    runtime one({.workers = 1, .caller_works = caller_works});
    one.run([] {
      countdown d(1);
      parallel_invoke([&] { d.signal(); }, [&] { d.wait(); });
    });
    EXPECT_EQ(one.stats().total.suspensions, 0U);
  }
}

TEST(Countdown, AStrandGoesOnOnItsOwnRuntime) {
  runtime mine(one_worker), other({.workers = 1});
  for (const bool ends : {false, true}) {
    countdown d(1);
    std::thread signaller([&] {
      until_suspended(mine, ends ? 2 : 1);
      other.run([&] { ends ? d.signal_and_end() : d.signal(); });
    });
    mine.run([&] {
      const std::thread::id here = this_thread();
      d.wait();
      EXPECT_EQ(this_thread(), here);
    });
    signaller.join();
  }
}

nopal::task<int> waits(countdown& d) {
  co_await d;
  co_return 7;
}

TEST(Countdown, ATaskWaitsForAThread) {
  runtime one({.workers = 1});
  for (int i = 0; i < 100; ++i) {
    countdown d(1);
    std::thread other([&] { d.signal(); });
    EXPECT_EQ(one.run([&] { return waits(d); }), 7);
    other.join();
  }
}

nopal::task<int> waits_below(countdown& d, unsigned depth) {
  if (depth == 0) co_return co_await waits(d);
  int below = 0;
  co_await nopal::fork(&below, waits_below, d, depth - 1);
  d.signal();  // the rest of each task, which lay on the deque of the worker
  co_await nopal::join();
  co_return below + 1;
}

TEST(Countdown, ATaskWaitsUnderOutstandingForks) {
  constexpr unsigned depth = 200;
  nopal_test::everywhere([] {
    countdown d(depth);
    EXPECT_EQ(nopal::run([&] { return waits_below(d, depth); }), 7 + static_cast<int>(depth));
  });
}

void wait_below(countdown& d, unsigned depth) {
  if (depth == 0) {
    d.wait();
    return;
  }
  parallel_invoke([&] { wait_below(d, depth - 1); }, [&] { d.signal(); });
}

TEST(Countdown, AStrandWaitsUnderOutstandingForks) {
  constexpr unsigned depth = nopal_test::with_sanitizer ? 100 : 500;
  nopal_test::everywhere([] {
    countdown d(depth);
    nopal::run([&] { wait_below(d, depth); });
  });
}

void wait_for(countdown* d) { d->wait(); }
void signal_and_end(countdown* d) { d->signal_and_end(); }

NOPAL_FORKS void wait_in_child(countdown* d) {
  nopal::fork_frame frame;
  frame.fork(wait_for, d);
  d->signal();
  frame.join();
}

NOPAL_FORKS void signal_in_child(countdown* d) {
  nopal::fork_frame frame;
  frame.fork(signal_and_end, d);
  d->wait();  // suspends the strand whose last act it is, where nobody has stolen
  frame.join();
}

TEST(Countdown, OfFrames) {
  nopal_test::everywhere([] {
    countdown d;
    for (int i = 0; i < 100; ++i) {
      d.add();
      wait_in_child(&d);
      d.add();
      signal_in_child(&d);
    }
  });
}

// add() while signals come.

void count_leaves(countdown& d, std::atomic<unsigned>& leaves, unsigned depth) {
  if (depth == 0) {
    ++leaves;
  } else {
    d.add(2);
    parallel_invoke([&] { count_leaves(d, leaves, depth - 1); },
                    [&] { count_leaves(d, leaves, depth - 1); });
  }
  d.signal();
}

TEST(Countdown, WaitsForSignalsThatAreAddedLater) {
  runtime four({.workers = 4});
  for (int i = 0; i < 20; ++i) {
    countdown d(1);
    std::atomic<unsigned> leaves{0};
    std::thread counts([&] { four.run([&] { count_leaves(d, leaves, 8); }); });
    d.wait();
    EXPECT_EQ(leaves.load(), 256U);
    counts.join();
  }
}

// Lifetimes.

TEST(Countdown, IsUsedAgain) {
  runtime two({.workers = 2});
  two.run([] {
    countdown d;
    for (int i = 0; i < 1000; ++i) {
      d.add();
      parallel_invoke([&] { d.wait(); }, [&] { d.signal(); });
    }
  });
}

TEST(Countdown, IsDestroyedAsSoonAsItsWaiterGoesOn) {
  runtime four({.workers = 4});
  four.run([] {
    for (int i = 0; i < 1000; ++i) {
      auto d = std::make_unique<countdown>(3);
      countdown& c = *d;
      parallel_invoke(
          [&] {
            c.wait();
            d.reset();
          },
          [&] { c.signal(); }, [&] { c.signal(); }, [&] { c.signal_and_end(); });
    }
  });
}

TEST(Countdown, ARuntimeEndsWhenItsWaitingStrandHasEnded) {
  countdown d(1), begun(1);
  auto r = std::make_unique<runtime>(one_worker);
  bool went_on = false;
  std::thread waits_there([&, at = r.get()] {
    at->run([&] {
      begun.signal();
      d.wait();
      went_on = true;
    });
  });
  begun.wait();
  std::thread ends([&] { r.reset(); });
  d.signal();
  ends.join();
  EXPECT_TRUE(went_on);
  waits_there.join();
}

// What moves with the strand that waits, and what does not go wrong.

TEST(Countdown, AWaitInAHandlerKeepsItsException) {
  for (const bool caller_works : {false, true}) {
    runtime one({.workers = 1, .caller_works = caller_works});
    one.run([] {
      countdown d(1);
      parallel_invoke(
          [&] {
            try {
              throw 1;
            } catch (int) {
              d.wait();
              EXPECT_THROW(throw, int);
            }
          },
          [&] {
            try {
              throw 2.0;
            } catch (double) {
              d.signal();
            }
          });
    });
  }
}

// Neither ThreadSanitizer nor qemu-user supports threads in a child of a process with threads.
constexpr bool child_starts_threads = !nopal_test::with_tsan && !nopal_test::with_emulator;

TEST(Countdown, WorksInAChildOfFork) {
  if (!child_starts_threads) GTEST_SKIP();
  const auto child = nopal_test::in_child([] {
    countdown d(2);
    std::thread other([&] { d.signal(); });
    nopal::run([&] { parallel_invoke([&] { d.wait(); }, [&] { d.signal_and_end(); }); });
    other.join();
    return 0;
  });
  EXPECT_TRUE(child.ok()) << child;
}

// Its workers are in the parent, so it waits as a thread that is no worker.
TEST(Countdown, AStrandThatHasCalledForkWaitsAsAThreadInTheChild) {
  if (!child_starts_threads) GTEST_SKIP();
  const auto child = nopal_test::in_child([] {
    runtime one(one_worker);
    return one.run([] {
      const pid_t pid = fork();
      if (pid == 0) {
        countdown d(1);
        {
          const std::jthread signals([&] { d.signal(); });
          d.wait();
        }
        _exit(3);
      }
      int status = 0;
      waitpid(pid, &status, 0);
      return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    });
  });
  EXPECT_TRUE(child.exited && child.status == 3) << child;
}

TEST(Countdown, SaysThatTwoStrandsWait) {
  if (!child_starts_threads) GTEST_SKIP();
  const auto child = nopal_test::in_child([] {
    runtime one({.workers = 1});
    countdown d(1);
    one.run([&] { parallel_invoke([&] { d.wait(); }, [&] { d.wait(); }); });
    return 0;
  });
  EXPECT_FALSE(child.exited) << child;
  EXPECT_NE(child.errors.find("two strands wait for one nopal::countdown"), std::string::npos)
      << child;
}

/// Two strands of one worker, each of which lets the other go on and then waits, until `came`.
template <class Signal>
void signal_each_other(const std::atomic<bool>& came, Signal signal) {
  nopal::countdown first(1), second(1);
  bool ended = false;
  nopal::parallel_invoke(
      [&] {
        while (!came) {
          signal(second);
          first.wait();
          first.add();
        }
        ended = true;
        second.signal();
      },
      [&] {
        for (second.wait(); !ended; second.wait()) {
          second.add();
          signal(first);
        }
      });
}

TEST(Countdown, StrandsThatSignalEachOtherKeepNobodyOut) {
  for (const bool last_act : {false, true}) {
    runtime one(one_worker);
    std::atomic<bool> began{false}, came{false};
    std::thread outside([&] {
      while (!began) std::this_thread::yield();
      one.run([&] {
        nopal::task_scope s;
        s.spawn([&] { came = true; });
        s.join();
      });
    });
    one.run([&] {
      began = true;
      signal_each_other(came, [&](nopal::countdown& d) {
        if (last_act)
          d.signal_and_end();
        else
          d.signal();
      });
    });
    outside.join();
  }
}

}  // namespace
