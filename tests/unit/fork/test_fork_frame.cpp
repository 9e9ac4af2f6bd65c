// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/child_process.hpp"
#include "support/environment.hpp"
#include "support/everywhere.hpp"
#include "support/steals_children.hpp"

namespace {

using nopal::fork_frame;
using nopal::runtime;
using nopal_test::everywhere;
using nopal_test::until;

NOPAL_FORKS std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  fork_frame frame;
  std::uint64_t a;
  frame.fork(&a, fib, n - 1);
  const std::uint64_t b = fib(n - 2);
  frame.join();
  return a + b;
}

#if defined(__x86_64__)
TEST(ForkFrame, TheControlWordsOfAForkAreFoundInX87s) {
  nopal::detail::strand_state s{};
  const auto exact = [&](std::uint32_t mxcsr, std::uint32_t before, std::uint32_t at_fork) {
    s.fp = {mxcsr, before};
    s.x87_at_fork = at_fork;
    s.stolen();
    EXPECT_EQ(s.fp.x87, at_fork);
    return s.fp.mxcsr;
  };
  EXPECT_EQ(exact(0x1f80, 0x37f, 0x37f), 0x1f80U);
  EXPECT_EQ(exact(0x9fc0, 0x37f, 0x37f), 0x9fc0U) << "denormals are zero: nothing that x87 has";
  EXPECT_EQ(exact(0x9fc0, 0x37f, 0xb7f), 0xdfc0U) << "rounding up";
  EXPECT_EQ(exact(0x1f80, 0x37f, 0x37b), 0x1d80U) << "division by zero unmasked";
  EXPECT_EQ(exact(0x3f80, 0x37f, 0x37f), 0x3f80U) << "SSE alone rounds down, and has before";
}
#endif

TEST(ForkFrame, Fib) {
  everywhere([] { EXPECT_EQ(fib(16), 987U); });
}

std::uint64_t weighted(int a, int b, int c, int d, int e, int f, int g, int h, double i) {
  return static_cast<std::uint64_t>(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h +
                                    9 * i);
}
struct large {
  std::array<int, 200> values;
};
int sum_of(large l, int more) {
  int sum = more;
  for (const int v : l.values) sum += v;
  return sum;
}
int take(std::unique_ptr<int> p, std::string s) { return *p + static_cast<int>(s.size()); }
void set(int& x, int y) { x = y; }
struct object {
  int base = 5;
  int plus(int n) const { return base + n; }
  void raise(int n) { base += n; }
};
std::unique_ptr<int> make(int n) { return std::make_unique<int>(n); }

NOPAL_FORKS void every_kind_of_call() {
  fork_frame frame;
  std::uint64_t many = 0;
  frame.fork(&many, weighted, 1, 1, 1, 1, 1, 1, 1, 1, 2.0);
  large l;
  l.values.fill(2);
  int big = 0;
  frame.fork(&big, sum_of, l, 1);
  l.values.fill(1000);  // the copy is made before
  int moved = 0;
  std::string text = "a string longer than any small buffer";
  frame.fork(&moved, take, std::make_unique<int>(4), std::move(text));
  int by_reference = 0;
  frame.fork(set, std::ref(by_reference), 6);
  object o;
  object other;
  int member = 0;
  frame.fork(&member, &object::plus, o, 2);
  frame.fork(&object::raise, &other, 3);
  int from_lambda = 0;
  frame.fork(&from_lambda, [k = 8](int n) mutable { return k += n; }, 2);
  std::unique_ptr<int> only_moves;
  frame.fork(&only_moves, make, 12);
  double converted = 0;
  frame.fork(&converted, [] { return 3; });
  frame.fork(sum_of, l, 0);  // the result is not wanted
  frame.fork([] {});
  frame.join();
  EXPECT_EQ(many, 54U);
  EXPECT_EQ(big, 401);
  EXPECT_EQ(moved, 41);
  EXPECT_EQ(by_reference, 6);
  EXPECT_EQ(member, 7);
  EXPECT_EQ(other.base, 8);
  EXPECT_EQ(from_lambda, 10);
  EXPECT_EQ(*only_moves, 12);
  EXPECT_EQ(converted, 3);
}

TEST(ForkFrame, EveryKindOfCall) {
  everywhere([] {
    for (int i = 0; i < 100; ++i) every_kind_of_call();
  });
}

NOPAL_FORKS void in_order(std::string& order) {
  fork_frame frame;
  frame.fork([&] { order += 'a'; });
  order += 'b';
  frame.fork([&] { order += 'c'; });
  frame.join();
  order += 'd';
}

TEST(ForkFrame, InOrderOnOneWorker) {
  for (const bool caller_works : {false, true}) {
    if (nopal_test::steals_children) GTEST_SKIP() << "children run at the join";
    runtime r({.workers = 1, .caller_works = caller_works});
    std::string order;
    r.run([&] { in_order(order); });
    EXPECT_EQ(order, "abcd");
  }
}

NOPAL_FORKS void steal_the_rest(std::thread::id& child, std::thread::id& rest,
                                std::atomic<bool>& stolen) {
  fork_frame frame;
  frame.fork([&] {
    child = std::this_thread::get_id();
    until(stolen);
  });
  rest = std::this_thread::get_id();
  stolen = true;
  frame.join();
}

TEST(ForkFrame, TheRestOfTheFunctionIsStolen) {
  for (const bool caller_works : {false, true}) {
    if (nopal_test::steals_children) GTEST_SKIP() << "the child is stolen";
    runtime r({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 20; ++i) {
      std::thread::id child, rest;
      std::atomic<bool> stolen{false};
      r.run([&] { steal_the_rest(child, rest, stolen); });
      EXPECT_NE(child, rest);
    }
  }
}

NOPAL_FORKS void without_join(std::atomic<int>& count, std::atomic<bool>& stolen) {
  fork_frame frame;
  frame.fork([&] {
    until(stolen);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ++count;
  });
  stolen = true;
}

TEST(ForkFrame, TheEndOfTheFrameJoins) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 20; ++i) {
      std::atomic<int> count{0};
      std::atomic<bool> stolen{false};
      r.run([&] {
        without_join(count, stolen);
        EXPECT_EQ(count, 1);
      });
    }
  }
}

NOPAL_FORKS void use_again(unsigned rounds) {
  fork_frame frame;
  std::atomic<unsigned> sum{0};
  for (unsigned i = 1; i <= rounds; ++i) {
    for (unsigned j = 0; j < 5; ++j)
      frame.fork([&sum] { sum.fetch_add(1, std::memory_order_relaxed); });
    frame.join();
    EXPECT_EQ(sum, 5 * i);
  }
  frame.join();
}

TEST(ForkFrame, UsedAgainAfterAJoin) {
  everywhere([] { use_again(500); });
}

struct point {
  int x;
};

NOPAL_FORKS void calls_that_return_references(int x) {
  int largest = 0;
  int same = 0;
  int captured = 0;
  int member = 0;
  fork_frame frame;
  const int& (*max)(const int&, const int&) = std::max<int>;
  frame.fork(&largest, max, x, x - 1);
  frame.fork(&same, std::identity{}, x);
  frame.fork(&captured, [x]() -> const int& { return x; });
  frame.fork(&member, &point::x, point{x});
  frame.join();
  EXPECT_EQ(largest, x);
  EXPECT_EQ(same, x);
  EXPECT_EQ(captured, x);
  EXPECT_EQ(member, x);
}

TEST(ForkFrame, CallsThatReturnReferencesToTheirArguments) {
  everywhere([] {
    for (int i = 0; i < 100; ++i) calls_that_return_references(i);
  });
}

NOPAL_FORKS void two_frames(std::atomic<int>& n) {
  fork_frame outer;
  outer.fork([&] { ++n; });
  {
    fork_frame inner;
    inner.fork([&] { ++n; });
    outer.fork([&] { ++n; });
    inner.fork([&] { ++n; });
  }
  outer.fork([&] { ++n; });
}

TEST(ForkFrame, TwoFramesInOneFunction) {
  everywhere([] {
    for (int i = 0; i < 300; ++i) {
      std::atomic<int> n{0};
      two_frames(n);
      EXPECT_EQ(n, 5);
    }
  });
}

NOPAL_FORKS std::uint64_t mixed(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0, b = 0, c = 0;
  fork_frame frame;
  frame.fork(&a, mixed, n - 1);
  nopal::parallel_invoke([&] { b = n > 2 ? mixed(n - 3) : 0; },
                         [&] { c = n > 3 ? mixed(n - 4) : 0; });
  frame.join();
  return a + b + c;
}

TEST(ForkFrame, MixedWithParallelInvoke) {
  const std::uint64_t right = runtime({.workers = 1}).run(mixed, 14U);
  everywhere([right] { EXPECT_EQ(mixed(14), right); });
}

TEST(ForkFrame, FromThreadsWithSmallStacks) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, nopal_test::with_sanitizer ? 256 << 10 : 64 << 10);
  std::array<pthread_t, 4> threads{};
  for (pthread_t& t : threads) {
    const int started = pthread_create(
        &t, &attributes,
        [](void*) -> void* {
          for (int i = 0; i < 10; ++i) EXPECT_EQ(fib(10), 55U);
          return nullptr;
        },
        nullptr);
    ASSERT_EQ(started, 0);
  }
  for (const pthread_t t : threads) pthread_join(t, nullptr);
  pthread_attr_destroy(&attributes);
}

// gettid(2) and not std::this_thread::get_id(), which compilers take for a constant of the
// function.
NOPAL_FORKS bool comes_back(pid_t before, bool caller_works) {
  {
    fork_frame frame;
    frame.fork([] {});
    if (!caller_works) {
      EXPECT_NE(gettid(), before) << "on a worker until the frame ends";
    }
  }
  return gettid() == before;
}

/// The frame ends only if somebody has stolen from the thread, or children are what is stolen.
NOPAL_FORKS bool comes_back_though_stolen(pid_t before) {
  {
    std::atomic<bool> stolen{false};
    fork_frame frame;
    frame.fork([&stolen] { until(stolen); });
    stolen = true;
    frame.join();
  }
  return gettid() == before;
}

TEST(ForkFrame, AThreadThatIsNoWorkerComesBack) {
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(comes_back(gettid(), true));
}

TEST(ForkFrame, AThreadThatIsNoWorkerComesBackFromEachOther) {
  if (nopal_test::with_tsan || nopal_test::with_emulator)
    GTEST_SKIP() << "threads in a child of a process with threads";
  for (const bool caller_works : {false, true}) {
    const auto p = nopal_test::in_child([=] {
      const nopal_test::environment_variable works("NOPAL_CALLER_WORKS", caller_works ? "1" : "0"),
          workers("NOPAL_WORKERS", "2");
      for (int i = 0; i < 100; ++i)
        if (!comes_back(gettid(), caller_works) || !comes_back_though_stolen(gettid())) return 1;
      return testing::Test::HasFailure() ? 2 : 0;
    });
    EXPECT_TRUE(p.ok()) << p;
  }
}

NOPAL_FORKS void long_loop(std::atomic<std::uint64_t>& sum, unsigned n) {
  fork_frame frame;
  for (unsigned i = 0; i < n; ++i)
    frame.fork([&sum, i] { sum.fetch_add(i, std::memory_order_relaxed); });
  frame.join();
}

std::size_t peak_kilobytes() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<std::size_t>(u.ru_maxrss);
}

TEST(ForkFrame, ALongLoopTakesConstantMemory) {
  for (const bool caller_works : {false, true}) {
    if (nopal_test::steals_children) GTEST_SKIP() << "queued children take memory";
    constexpr unsigned n = 10'000'000 / nopal_test::work_divisor;
    for (const unsigned workers : {1U, 2U, 4U}) {
      runtime r({.workers = workers, .caller_works = caller_works});
      std::atomic<std::uint64_t> sum{0};
      r.run([&] { long_loop(sum, n / 100); });
      sum = 0;
      const std::size_t before = peak_kilobytes();
      r.run([&] { long_loop(sum, n); });
      EXPECT_EQ(sum, std::uint64_t{n} * (n - 1) / 2);
      if (!nopal_test::with_sanitizer) {
        EXPECT_LT(peak_kilobytes() - before, 1024U) << workers << " workers";
      }
    }
  }
}

}  // namespace
