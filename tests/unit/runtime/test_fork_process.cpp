// SPDX-License-Identifier: Apache-2.0
// fork(2): the child has none of the workers.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"

// ThreadSanitizer otherwise ends a child of a process with threads as soon as it starts one of its
// own.
extern "C" const char* __tsan_default_options();
extern "C" const char* __tsan_default_options() { return "die_after_fork=0"; }

// In a child of fork(2) what the parent's threads hold is lost; and a process that ends in the
// middle of a test leaks the test.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

namespace {

using nopal::runtime;
using nopal_test::in_child;

NOPAL_FORKS std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  nopal::fork_frame frame;
  std::uint64_t a = 0;
  frame.fork(&a, fib, n - 1);
  const std::uint64_t b = fib(n - 2);
  frame.join();
  return a + b;
}

std::uint64_t fib_by_closures(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0, b = 0;
  nopal::parallel_invoke([&] { a = fib_by_closures(n - 1); }, [&] { b = fib_by_closures(n - 2); });
  return a + b;
}

// Such threads may get the ids of threads of the parent, which ThreadSanitizer and qemu-user still
// believe in.
#define SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS()                                         \
  if (nopal_test::with_tsan || nopal_test::with_emulator)                                   \
  GTEST_SKIP() << "neither ThreadSanitizer nor qemu-user supports threads in a child of a " \
                  "process with threads"

bool default_runtime_works() {
  return nopal::run(fib, 12U) == 144 && fib(12) == 144 && fib_by_closures(12) == 144;
}

TEST(ForkProcess, TheChildGetsAFreshDefaultRuntime) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  ASSERT_TRUE(default_runtime_works());
  for (const bool by_exit : {false, true}) {
    const auto p = in_child([] { return default_runtime_works() ? 0 : 1; }, by_exit);
    EXPECT_TRUE(p.ok()) << p;
  }
  EXPECT_TRUE(default_runtime_works()) << "the parent's is as before";
}

TEST(ForkProcess, TheChildOfAChildToo) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  ASSERT_TRUE(default_runtime_works());
  const auto p = in_child(
      [] {
        if (!default_runtime_works()) return 1;
        return in_child([] { return default_runtime_works() ? 0 : 2; }, true).ok() &&
                       default_runtime_works()
                   ? 0
                   : 3;
      },
      true);
  EXPECT_TRUE(p.ok()) << p;
}

TEST(ForkProcess, AChildThatDoesNotUseItEndsByExit) {
  ASSERT_TRUE(default_runtime_works());
  const auto p = in_child([] { return 0; }, true);
  EXPECT_TRUE(p.ok()) << p;
}

TEST(ForkProcess, ARuntimeOfTheParentRefuses) {
  runtime r({.workers = 2});
  ASSERT_EQ(r.run(fib, 10U), 55U);
  const auto p = in_child([&] {
    try {
      r.run(fib, 10U);
    } catch (const std::logic_error& e) {
      return std::string(e.what()).find("fork(2)") != std::string::npos ? 0 : 1;
    }
    return 2;
  });
  EXPECT_TRUE(p.ok()) << p;
  EXPECT_EQ(r.run(fib, 10U), 55U);
}

TEST(ForkProcess, ARuntimeOfTheParentCanBeDestroyed) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  std::optional<runtime> r(std::in_place, nopal::options{.workers = 2});
  ASSERT_EQ(r->run(fib, 10U), 55U);
  const auto p = in_child(
      [&] {
        r.reset();
        runtime own({.workers = 2});
        return own.run(fib, 10U) == 55 ? 0 : 1;
      },
      true);
  EXPECT_TRUE(p.ok()) << p;
}

// The C library gives the handles of the parent's threads to those that the child starts.
TEST(ForkProcess, ARuntimeOfTheParentTouchesNoThreadOfTheChild) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  auto r = std::make_unique<nopal::runtime>(nopal::options{.workers = 2});
  const auto end = nopal_test::in_child([&] {
    std::atomic<bool> goes{false};
    std::vector<std::thread> own;
    for (int i = 0; i < 4; ++i) own.emplace_back([&] { goes.wait(false); });
    r.reset();
    goes = true;
    goes.notify_all();
    for (std::thread& t : own) t.join();
    return 0;
  });
  EXPECT_TRUE(end.ok()) << end;
}

TEST(ForkProcess, ForkedOnAWorker) {
  runtime r({.workers = 1});
  const auto p = r.run([] {
    // The strand goes on in the child, alone: its forks work.
    return in_child([] { return fib(10) == 55 && fib_by_closures(10) == 55 ? 0 : 1; });
  });
  EXPECT_TRUE(p.ok()) << p;
}

/// What a runtime of the child's own has to do for a strand that goes on alone there.
int use(runtime& own) {
  if (own.run(fib, 12U) != 144 || own.run(fib_by_closures, 12U) != 144) return 1;
  try {
    own.run([] { throw std::runtime_error("x"); });
    return 2;
  } catch (const std::runtime_error&) {
  }
  nopal::reducer<nopal::monoid::add<long>> sum;
  std::atomic<int> ran{0};
  nopal::countdown last(1);
  {
    nopal::task_scope s(own);
    for (int i = 0; i < 10; ++i) s.spawn([&] { ++ran; });
    s.spawn([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      ++ran;
    });
    auto answer = s.async([] { return 42; });
    if (answer.get() != 42) return 3;
    s.join();
  }
  own.spawn_detached([&] {
    ++ran;
    last.signal();
  });
  last.wait();
  if (ran != 12) return 4;
  nopal::claim one = own.claim({.at_least = 1, .at_most = 1});
  if (one.run(fib, 10U) != 55) return 5;
  own.run([&] { nopal::for_each(0, 1000, [&](int i) { sum += i; }); });
  if (sum.get_value() != 499500) return 6;
  nopal::io::sleep_for(std::chrono::milliseconds(1));
  return own.run([] { return nopal::blocking([] { return 7; }); }) == 7 &&
                 nopal::blocking([&] { return own.run(fib, 10U); }) == 55
             ? 0
             : 7;
}

TEST(ForkProcess, ForkedOnAWorkerTheChildStartsARuntimeOfItsOwn) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  for (const unsigned workers : {1U, 2U})
    for (const bool by_exit : {false, true}) {
      runtime r({.workers = workers});
      const auto p = r.run([&] {
        return in_child(
            [&] {
              try {
                return r.run([] { return 0; });
              } catch (const std::logic_error&) {
              }
              {
                runtime own({.workers = 2});
                if (const int error = use(own); error != 0) return error;
              }
              runtime another;
              return use(another);
            },
            by_exit);
      });
      EXPECT_TRUE(p.ok()) << p;
    }
}

TEST(ForkProcess, ForkedOnAWorkerTheChildHasADefaultScope) {
  SKIP_WHERE_THE_CHILD_CANNOT_START_THREADS();
  const auto p = nopal::run([] {
    return in_child([] {
      std::atomic<int> ran{0};
      nopal::task_scope s;
      for (int i = 0; i < 10; ++i) s.spawn([&] { ++ran; });
      s.join();
      return ran == 10 ? 0 : 1;
    });
  });
  EXPECT_TRUE(p.ok()) << p;
}

TEST(ForkProcess, ForkedOnAWorkerAndEndedByExit) {
  for (const bool the_default : {false, true}) {
    const auto f = [] { return in_child([] { return fib_by_closures(10) == 55 ? 0 : 1; }, true); };
    runtime r({.workers = 2});
    const auto p = the_default ? nopal::run(f) : r.run(f);
    EXPECT_TRUE(p.ok()) << p;
  }
}

// The thief of the branch is in the parent only.
TEST(ForkProcess, AJoinWithABranchInTheParentSaysSo) {
  const auto p = in_child([] {
    runtime r({.workers = 2});
    nopal_test::ended_process inner;
    r.run([&] {
      std::atomic<bool> stolen{false}, over{false};
      pid_t pid = -1;
      nopal::parallel_invoke(
          [&] {
            while (!stolen) std::this_thread::yield();
            pid = fork();
            if (pid == 0) return;  // forgets to exec, and comes to the join
            int status = 0;
            waitpid(pid, &status, 0);
            inner.exited = WIFEXITED(status);
            inner.status = inner.exited ? WEXITSTATUS(status) : WTERMSIG(status);
            over = true;
          },
          [&] {
            stolen = true;
            while (!over) std::this_thread::yield();
          });
    });
    return !inner.exited && inner.status == SIGABRT ? 0 : 1;
  });
  EXPECT_TRUE(p.ok()) << p;
  EXPECT_NE(p.errors.find("fork(2)"), std::string::npos) << p;
}

TEST(ForkProcess, ExitOnAWorkerOfTheDefaultRuntimeEnds) {
  const auto p = in_child([] {
    nopal::run([] { std::exit(7); });
    return 1;
  });
  EXPECT_TRUE(p.exited && p.status == 7) << p;
}

TEST(ForkProcess, ExitWithTheDefaultRuntimeBusyEnds) {
  const auto p = in_child(
      [] {
        std::thread([] {
          nopal::run([] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); });
        }).detach();
        default_runtime_works();
        return 0;
      },
      true);
  EXPECT_TRUE(p.ok()) << p;
}

// Threads come at every moment of exit(3): before the default runtime ends, while it does, and when
// it has.
TEST(ForkProcess, ExitWhileThreadsComeToTheDefaultRuntimeEnds) {
  for (int i = 0; i < 20; ++i) {
    const auto p = in_child(
        [] {
          for (int t = 0; t < 3; ++t)
            std::thread([] {
              for (;;) default_runtime_works();
            }).detach();
          return default_runtime_works() ? 0 : 1;
        },
        true);
    ASSERT_TRUE(p.ok()) << p;
  }
}

TEST(ForkProcess, AScopeOfTheParentRunsNothingInTheChild) {
  runtime r({.workers = 2});
  std::atomic<bool> go{false};
  nopal::task_scope s(r);
  s.spawn([&] {
    while (!go) std::this_thread::yield();
  });
  const auto p = in_child([&] {
    const auto refuses = [](auto&& call) {
      try {
        call();
      } catch (const std::logic_error& e) {
        return std::string(e.what()).find("before fork(2)") != std::string::npos;
      }
      return false;
    };
    if (!refuses([&] { s.spawn([] {}); })) return 1;
    if (!refuses([&] { s.spawn(nopal::near(0), [] {}); })) return 2;
    if (!refuses([&] { static_cast<void>(s.async([] {})); })) return 3;
    if (!refuses([&] { s.join(); })) return 4;
    if (!refuses([&] { const nopal::task_scope another(r); })) return 5;
    if (!refuses([&] { r.spawn_detached([] {}); })) return 6;
    std::destroy_at(&s);  // does not wait for what runs in the parent
    return 0;
  });
  EXPECT_TRUE(p.ok()) << p;
  go = true;
  s.join();
}

}  // namespace
