// SPDX-License-Identifier: Apache-2.0
// A thread that is no worker takes part in its own calls, as a guest (docs/scheduler.md, "Guests").
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "nopal/reducer.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"
#include "support/environment.hpp"
#include "support/thread_state.hpp"

namespace {

using namespace std::chrono_literals;
using nopal::runtime;

thread_local int own_variable = 0;

pid_t thread_of(runtime& r) { return r.run(gettid); }

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] =
      nopal::parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

NOPAL_FORKS long fork_one(int n) {
  long result = 0;
  nopal::fork_frame frame;
  frame.fork(&result, fib, n);
  frame.join();
  return result;
}

/// Runs two closures on two threads: each waits until the other has begun. Returns whether the
/// second is on another thread than the first.
bool is_stolen() {
  std::atomic<bool> first{false}, second{false};
  pid_t one = 0, other = 0;
  nopal::parallel_invoke(
      [&] {
        first = true;
        while (!second) std::this_thread::yield();
        one = gettid();
      },
      [&] {
        second = true;
        while (!first) std::this_thread::yield();
        other = gettid();
      });
  return one != other;
}

TEST(Guest, RunsItsCallInPlace) {
  runtime r({.workers = 2});
  EXPECT_EQ(thread_of(r), gettid());
  EXPECT_EQ(nopal::run(gettid), gettid());
  auto* const here = static_cast<char*>(__builtin_frame_address(0));
  char* const there = r.run([] { return static_cast<char*>(__builtin_frame_address(0)); });
  EXPECT_LT(here - there, 1 << 16) << "on the stack of the thread";
  EXPECT_GT(here, there);
  EXPECT_EQ(r.stats().peak_stacks_in_use, 0U);
}

TEST(Guest, IsOnTheRuntimeAndNoWorker) {
  runtime r({.workers = 3});
  r.run([&] {
    EXPECT_TRUE(r.is_current());
    EXPECT_EQ(nopal::workers(), 3U);
    EXPECT_EQ(nopal::current_worker(), std::nullopt);
    EXPECT_EQ(r.run(gettid), gettid()) << "a plain call";
    EXPECT_EQ(nopal::run(gettid), gettid()) << "a plain call";
  });
  EXPECT_FALSE(r.is_current());
}

TEST(Guest, IsNoneIfTheOptionOrThePolicySaysSo) {
  runtime asleep({.workers = 1, .caller_works = false});
  EXPECT_NE(thread_of(asleep), gettid());
  runtime busy({.workers = 1, .idle = nopal::idle_policy::busy});
  EXPECT_NE(thread_of(busy), gettid());
  const nopal_test::environment_variable off("NOPAL_CALLER_WORKS", "0");
  runtime by_environment(nopal::options::from_environment());
  EXPECT_NE(thread_of(by_environment), gettid());
}

TEST(Guest, IsStolenFromAndComesBackToItsThread) {
  runtime r({.workers = 2});
  own_variable = 5;
  for (int i = 0; i < 100; ++i) {
    const pid_t before = gettid();
    EXPECT_TRUE(r.run(is_stolen));
    ASSERT_EQ(gettid(), before);
    ASSERT_EQ(own_variable, 5);
  }
  EXPECT_GE(r.stats().total.steals, 100U);
}

TEST(Guest, ComputesWithEachNumberOfWorkers) {
  for (const unsigned workers : {1U, 2U, 5U}) {
    runtime r({.workers = workers});
    for (int i = 0; i < 20; ++i) ASSERT_EQ(r.run([] { return fib(16); }), 987);
  }
}

// With one worker the order is that of the serial program: the worker sleeps in the guest's stead.
TEST(Guest, IsNotStolenFromByOneWorker) {
  runtime one({.workers = 1});
  std::vector<int> order;
  one.run([&] { nopal::for_each(0, 20000, [&](int i) { order.push_back(i); }); });
  EXPECT_TRUE(std::ranges::is_sorted(order));
  EXPECT_EQ(order.size(), 20000U);
  EXPECT_EQ(one.stats().total.steals, 0U);
}

TEST(Guest, ExceptionsComeToTheCaller) {
  runtime r({.workers = 2});
  const auto fails = [] { throw std::runtime_error("from the call"); };
  EXPECT_THROW(r.run(fails), std::runtime_error);
  for (int i = 0; i < 30; ++i) {
    EXPECT_THROW(r.run([&] {
      std::atomic<bool> begun{false};
      nopal::parallel_invoke([&] { begun.wait(false); },
                             [&] {
                               begun = true;
                               begun.notify_all();
                               throw std::runtime_error("from a thief");
                             });
    }),
                 std::runtime_error);
    try {
      throw 1;
    } catch (int) {
      EXPECT_TRUE(r.run(is_stolen)) << "a call in a handler";
      EXPECT_NE(std::current_exception(), nullptr);
    }
    EXPECT_EQ(std::current_exception(), nullptr);
  }
}

TEST(Guest, HelpsWithItsOwnCallOnly) {
  runtime r({.workers = 2});
  std::atomic<bool> over{false};
  std::atomic<int> done{0}, by_guest{0};
  nopal::task_scope others(r);
  others.spawn([&, guest = gettid()] {
    while (!over) {
      nopal::for_each(0, 8, [&](int) {
        std::this_thread::sleep_for(1ms);
        ++done;
        if (gettid() == guest) ++by_guest;
      });
    }
  });
  while (done == 0) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) {
    nopal::countdown ready(1);
    std::thread later([&] {
      std::this_thread::sleep_for(2ms);
      ready.signal();
    });
    r.run([&] { ready.wait(); });
    later.join();
  }
  over = true;
  others.join();
  EXPECT_EQ(by_guest, 0) << "of " << done;
}

TEST(Guest, DoesNotWaitForWhatItHasSpawned) {
  runtime r({.workers = 2});
  for (int i = 0; i < 10; ++i) {
    std::atomic<bool> returned{false}, ended{false};
    nopal::countdown ready(1);
    std::thread later([&] {
      std::this_thread::sleep_for(2ms);
      ready.signal();
    });
    r.run([&] {
      r.spawn_detached([&] {
        while (!returned) std::this_thread::yield();
        ended = true;
      });
      ready.wait();
    });
    returned = true;
    later.join();
    while (!ended) std::this_thread::yield();
  }
}

// A guest whose call waits for something else than its forks sleeps, and workers do the rest.
TEST(Guest, SleepsWhenItsCallWaits) {
  runtime r({.workers = 1});
  const std::string thread = "/proc/self/task/" + std::to_string(gettid());
  for (int i = 0; i < 20; ++i) {
    const bool late = i % 2 != 0;
    nopal::countdown ready(1);
    std::thread later([&] {
      while (late && !nopal_test::waits(thread)) std::this_thread::yield();
      ready.signal();
    });
    const pid_t on = r.run([&] {
      ready.wait();
      EXPECT_EQ(fib(12), 144);
      return gettid();
    });
    later.join();
    if (late) {
      EXPECT_NE(on, gettid()) << "a worker has gone on";
    }
  }
}

TEST(Guest, SpawnedFunctionsRunDuringAndAfterTheCall) {
  for (const unsigned workers : {1U, 2U}) {
    std::atomic<int> ran{0};
    {
      runtime r({.workers = workers});
      for (int i = 0; i < 50; ++i) {
        r.run([&] {
          nopal::task_scope scope;
          for (int k = 0; k < 10; ++k) scope.spawn([&] { ++ran; });
          scope.join();
          r.spawn_detached([&] { ++ran; });
        });
      }
    }
    EXPECT_EQ(ran, 550);
  }
}

// Numbers are for 64 guests. The threads beyond sleep while a worker runs their call.
TEST(Guest, MoreThreadsThanNumbers) {
  runtime r({.workers = 2});
  constexpr int all = 80, most_guests = 64;
  std::atomic<int> guests{0}, others{0}, right{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < all; ++i)
    threads.emplace_back([&] {
      r.run([&, caller = gettid()] {
        ++(gettid() == caller ? guests : others);
        while (gettid() == caller && others < all - most_guests) std::this_thread::yield();
        if (fib(10) == 55) ++right;
      });
    });
  threads.clear();
  EXPECT_EQ(guests, most_guests);
  EXPECT_EQ(others, all - most_guests);
  EXPECT_EQ(right, all);
}

// At most max(P, k) threads run what k guests fork.
TEST(Guest, AsManyWorkersSleepAsGuestsAreHere) {
  for (const unsigned callers : {1U, 2U, 3U}) {
    constexpr unsigned workers = 2;
    runtime r({.workers = workers});
    std::atomic<unsigned> running{0}, most{0}, here{0};
    const auto leaf = [&](int) {
      const unsigned now = running.fetch_add(1) + 1;
      for (unsigned seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      const auto end = std::chrono::steady_clock::now() + 200us;
      while (std::chrono::steady_clock::now() < end) {
      }
      --running;
    };
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < callers; ++i)
      threads.emplace_back([&] {
        r.run([&] {
          ++here;
          while (here < callers) std::this_thread::yield();  // nobody forks before all are here
          nopal::for_each(0, 100, leaf);
          ++here;
          while (here < 2 * callers) std::this_thread::yield();
        });
      });
    threads.clear();
    EXPECT_LE(most, std::max(workers, callers));
    EXPECT_GE(most, callers);
  }
}

TEST(Guest, AThreadWithLittleStackLeavesTheCallToAWorker) {
  runtime r({.workers = 1, .stack_bytes = std::size_t{2} << 20});
  static runtime* of;
  of = &r;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, std::size_t{1} << 20);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &small,
                [](void*) -> void* {
                  EXPECT_NE(thread_of(*of), gettid());
                  return nullptr;
                },
                nullptr),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);
}

// On a stack that is not the thread's own, of a fiber for instance, a worker runs the call.
TEST(Guest, AFiberLeavesTheCallToAWorker) {
  static runtime r({.workers = 1});
  static ucontext_t here, there;
  constexpr std::size_t bytes = std::size_t{4} << 20;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  getcontext(&there);
  there.uc_stack = {.ss_sp = memory, .ss_flags = 0, .ss_size = bytes};
  there.uc_link = &here;
  makecontext(&there, [] { EXPECT_NE(thread_of(r), gettid()); }, 0);
  swapcontext(&here, &there);
  munmap(memory, bytes);
}

TEST(Guest, ForkFrameOnAThreadStaysThere) {
  const pid_t before = gettid();
  EXPECT_EQ(fork_one(15), 610);
  EXPECT_EQ(gettid(), before);
}

TEST(Guest, ReducersHaveTheirSerialResult) {
  runtime r({.workers = 2});
  for (int i = 0; i < 50; ++i) {
    nopal::reducer<nopal::monoid::string> text;
    r.run([&] {
      std::atomic<bool> begun{false};
      nopal::parallel_invoke(
          [&] {
            begun.wait(false);
            *text += "a";
          },
          [&] {
            begun = true;
            begun.notify_all();
            *text += "b";
          });
      *text += "c";
    });
    *text += "d";
    EXPECT_EQ(*text, "abcd");
  }
}

// exit(3) waits for a guest of the default runtime, as for any call in flight: whether its call
// runs, or waits for something and the thread is no guest any more.
TEST(Guest, ExitWaitsForIt) {
  if (nopal_test::with_tsan || nopal_test::with_emulator)
    GTEST_SKIP() << "neither ThreadSanitizer nor qemu-user supports threads in a child of a "
                    "process with threads";
  for (const bool waits : {false, true}) {
    const auto end = nopal_test::in_child(
        [waits] {
          nopal::run([] {});  // the call below does not start the runtime
          std::atomic<bool> inside{false};
          std::thread([&, waits] {
            nopal::run([&, waits] {
              nopal::countdown later(1);
              if (waits)
                std::thread([&] {
                  std::this_thread::sleep_for(200ms);
                  later.signal();
                }).detach();
              inside = true;
              inside.notify_all();
              if (waits)
                later.wait();
              else
                std::this_thread::sleep_for(50ms);
              std::fputs("the call has ended\n", stderr);
            });
          }).detach();
          inside.wait(false);
          if (waits) std::this_thread::sleep_for(100ms);
          return 0;
        },
        true);
    EXPECT_TRUE(end.ok()) << end;
    EXPECT_NE(end.errors.find("the call has ended"), std::string::npos) << end;
  }
}

TEST(Guest, ARuntimeWaitsForIt) {
  for (int i = 0; i < 20; ++i) {
    auto r = std::make_unique<runtime>(nopal::options{.workers = 2});
    std::atomic<bool> inside{false}, over{false};
    std::thread caller([&] {
      r->run([&] {
        inside = true;
        inside.notify_all();
        fib(12);
        over = true;
      });
    });
    inside.wait(false);
    r.reset();
    EXPECT_TRUE(over);
    caller.join();
  }
}

}  // namespace
