// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "nopal/detail/strand/strand_words.hpp"
#include "nopal/nopal.hpp"
#include "support/build.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal::call;
using nopal::eventual;
using nopal::fork;
using nopal::join;
using nopal::runtime;
using nopal::task;
using nopal_test::everywhere;
using nopal_test::until;

task<std::uint64_t> fib(unsigned n) {
  if (n < 2) co_return n;
  std::uint64_t a, b;
  co_await fork(&a, fib, n - 1);
  co_await call(&b, fib, n - 2);
  co_await join();
  co_return a + b;
}

TEST(Task, Fib) {
  everywhere([] { EXPECT_EQ(nopal::wait(fib(16)), 987U); });
}

TEST(Task, RunTakesFunctionsThatReturnTasks) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    EXPECT_EQ(r.run(fib, 10U), 55U);
    EXPECT_EQ(nopal::run(fib, 10U), 55U);
    EXPECT_EQ(r.run(
                  [](int n) -> task<std::string> {
                    co_return std::string(static_cast<std::size_t>(n), 'x');
                  },
                  3),
              "xxx");
  }
}

task<std::unique_ptr<int>> make(int n) { co_return std::make_unique<int>(n); }
task<int> take(std::unique_ptr<int> p, std::string s) { co_return *p + static_cast<int>(s.size()); }
task<> set(int& x, int y) {
  x = y;
  co_return;
}
task<int&> the_same(int& x) { co_return x; }
struct object {
  int base = 5;
  task<int> plus(int n) const { co_return base + n; }
  task<> raise(int n) {
    base += n;
    co_return;
  }
};
struct large {
  std::array<int, 200> values;
};
task<int> sum_of(large l) {
  int sum = 0;
  for (const int v : l.values) sum += v;
  co_return sum;
}
/// Neither default-constructible nor assignable.
struct fixed {
  explicit fixed(int n) : value(n) {}
  fixed(fixed&&) = default;
  fixed& operator=(fixed&&) = delete;
  const int value;
};
task<fixed> make_fixed(int n) { co_return fixed(n); }

task<> every_kind_of_call() {
  eventual<std::unique_ptr<int>> only_moves;
  eventual<fixed> only_constructed;
  int by_reference = 0, moved = 0, member = 0, from_lambda = 0, big = 0;
  int* reference = nullptr;
  object o;
  large l;
  l.values.fill(2);
  co_await fork(&only_moves, make, 12);
  co_await fork(&only_constructed, make_fixed, 13);
  co_await fork(&moved, take, std::make_unique<int>(4), "a string longer than any small buffer");
  co_await fork(set, by_reference, 6);
  co_await fork(&reference, the_same, by_reference);
  co_await fork(&object::raise, &o, 3);
  co_await fork(&big, sum_of, l);
  l.values.fill(1000);  // the copy was made before
  const auto recursive = [](auto self, int n) -> task<int> {
    if (n == 0) co_return 0;
    co_return 1 + co_await call(self, self, n - 1);
  };
  co_await fork(&from_lambda, recursive, recursive, 10);
  co_await fork(make, 1);  // the result is not wanted
  co_await join();
  co_await fork(&member, &object::plus, o, 2);
  co_await join();
  EXPECT_EQ(**only_moves, 12);
  EXPECT_EQ(only_constructed->value, 13);
  EXPECT_EQ(moved, 41);
  EXPECT_EQ(by_reference, 6);
  EXPECT_EQ(reference, &by_reference);
  EXPECT_EQ(o.base, 8);
  EXPECT_EQ(big, 400);
  EXPECT_EQ(from_lambda, 10);
  EXPECT_EQ(member, 10);

  EXPECT_EQ(*co_await call(make, 5), 5);
  EXPECT_EQ((co_await call(make_fixed, 6)).value, 6);
  EXPECT_EQ(&co_await call(the_same, moved), &moved);
  std::unique_ptr<int> assigned;
  co_await call(&assigned, make, 7);
  EXPECT_EQ(*assigned, 7);
  co_await call(set, by_reference, 8);
  EXPECT_EQ(by_reference, 8);
  co_await set(by_reference, 9);
  EXPECT_EQ(by_reference, 9);
  task<std::unique_ptr<int>> made_before = make(10);
  EXPECT_EQ(*co_await std::move(made_before), 10);
}

TEST(Task, EveryKindOfCall) {
  everywhere([] {
    for (int i = 0; i < 100; ++i) nopal::wait(every_kind_of_call());
  });
}

task<> in_order(std::string& order) {
  const auto put = [&](char c) -> task<> {
    order += c;
    co_return;
  };
  co_await fork(put, 'a');
  order += 'b';
  co_await fork(put, 'c');
  co_await join();
  order += 'd';
}

TEST(Task, InOrderOnOneWorker) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 1, .caller_works = caller_works});
    std::string order;
    r.run(in_order, order);
    EXPECT_EQ(order, "abcd");
  }
}

/// A function that hands on a task made before its call, which lies on the heap.
task<std::uint64_t> hand_on(task<std::uint64_t>& t) { return std::move(t); }

task<> fork_what_was_made_before() {
  std::vector<task<std::uint64_t>> made;
  for (unsigned n = 0; n < 10; ++n) made.push_back(fib(n));
  std::array<std::uint64_t, 10> results{};
  // In another order than they were made in: their frames must not be on a stack.
  for (unsigned n = 10; n-- > 0;) co_await fork(&results[n], hand_on, made[n]);
  co_await join();
  EXPECT_EQ(results[9], 34U);
  EXPECT_EQ(results[5], 5U);
}

TEST(Task, MadeBeforeTheyAreForked) {
  everywhere([] {
    for (int i = 0; i < 100; ++i) nopal::wait(fork_what_was_made_before());
  });
}

task<> stolen_each_time(int depth) {
  std::atomic<bool> stolen{false};
  const auto child = [&stolen, depth]() -> task<> {
    until(stolen);
    if (depth > 0) co_await call(stolen_each_time, depth - 1);
  };
  co_await fork(child);
  stolen = true;
  co_await join();
}

TEST(Task, ContinuationsAreStolen) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    r.run(stolen_each_time, 50);
    EXPECT_GE(r.stats().total.steals, 51U);
  }
}

TEST(Task, ManyForksOneJoin) {
  everywhere([] {
    std::atomic<int> ran = 0;
    const auto child = [&]() -> task<> {
      ++ran;
      co_return;
    };
    const auto parent = [&]() -> task<> {
      for (int i = 0; i < 20000; ++i) co_await fork(child);
      co_await join();
      EXPECT_EQ(ran, 20000);
      co_await join();
    };
    nopal::wait(parent());
  });
}

std::uint64_t fib_of_all(unsigned n);

task<std::uint64_t> fib_over_closures(unsigned n) {
  if (n < 2) co_return n;
  std::uint64_t a, b;
  co_await fork(&a, fib_over_closures, n - 1);
  nopal::parallel_invoke([&] { b = fib_of_all(n - 2); }, [] {});
  co_await join();
  co_return a + b;
}

NOPAL_FORKS std::uint64_t fib_by_frame(unsigned n) {
  nopal::fork_frame frame;
  std::uint64_t a;
  frame.fork(&a, fib_of_all, n - 1);
  const std::uint64_t b = nopal::wait(fib_over_closures(n - 2));
  frame.join();
  return a + b;
}

/// Every front end calls every other one.
std::uint64_t fib_of_all(unsigned n) { return n < 3 ? (n + 1) / 2 : fib_by_frame(n); }

TEST(Task, AllFrontEndsCallEachOther) {
  everywhere([] {
    for (int i = 0; i < 20; ++i) EXPECT_EQ(nopal::wait(fib_over_closures(14)), 377U);
  });
}

/// Makes a task where another one's frame was to lie, and forks in between.
task<std::uint64_t> through_forks(unsigned n) {
  std::uint64_t a = 0, b = 0;
  nopal::parallel_invoke([&] { a = nopal::wait(fib(n)); }, [&] { b = nopal::wait(fib(n)); });
  EXPECT_EQ(a, b);
  return fib(n);
}

task<> fork_through_plain_functions() {
  std::array<std::uint64_t, 8> results{};
  for (auto& r : results) co_await fork(&r, through_forks, 9U);
  co_await join();
  for (const auto r : results) EXPECT_EQ(r, 34U);
}

TEST(Task, AFunctionMayForkBeforeItMakesItsTask) {
  everywhere([] {
    for (int i = 0; i < 50; ++i) nopal::wait(fork_through_plain_functions());
  });
}

task<int> chain(int depth) {
  if (depth == 0) co_return 0;
  co_return 1 + co_await call(chain, depth - 1);
}

TEST(Task, DepthIsLimitedByMemoryOnly) {
  for (const bool caller_works : {false, true}) {
    constexpr int depth = 1'000'000 / nopal_test::work_divisor;
    runtime r({.workers = 2, .caller_works = caller_works});
    EXPECT_EQ(r.run(chain, depth), depth);
  }
}

TEST(Task, NotRunIsNotStarted) {
  bool started = false;
  const auto f = [&]() -> task<> {
    started = true;
    co_return;
  };
  {
    [[maybe_unused]] const task<> t = f();
  }
  EXPECT_FALSE(started);
}

TEST(Task, MovedFrom) {
  task<> t = [](int) -> task<> { co_return; }(1);
  task<> other = std::move(t);
  nopal::wait(std::move(other));
  EXPECT_THROW(nopal::wait(std::move(t)), std::logic_error);
}

/// Takes part in the life of its coroutine as a parameter and as a local.
struct counted {
  explicit counted(std::atomic<int>& n) : count(&n) { ++*count; }
  counted(const counted& other) : count(other.count) { ++*count; }
  counted& operator=(const counted&) = delete;
  ~counted() { --*count; }
  std::atomic<int>* count;
};

task<> hold(counted c, unsigned depth) {
  const counted local(*c.count);
  if (depth == 0) co_return;
  co_await fork(hold, local, depth - 1);
  co_await call(hold, local, depth - 1);
  co_await join();
}

TEST(Task, ParametersAndLocalsAreDestroyed) {
  everywhere([] {
    std::atomic<int> count = 0;
    nopal::wait(hold(counted(count), 8));
    EXPECT_EQ(count, 0);
  });
}

TEST(Task, RoundingModeOfTheCaller) {
  for (const bool caller_works : {false, true}) {
    const int before = std::fegetround();
    std::fesetround(FE_UPWARD);
    runtime r({.workers = 2, .caller_works = caller_works});
    std::atomic<bool> stolen{false};
    const auto child = [&]() -> task<> {
      until(stolen);
      co_return;
    };
    const auto parent = [&]() -> task<int> {
      co_await fork(child);
      const int here = std::fegetround();
      stolen = true;
      co_await join();
      co_return here;
    };
    EXPECT_EQ(r.run(parent), FE_UPWARD);
    std::fesetround(before);
  }
}

/// A guest leaves its thread in a function that is about to make a task, and its call ends
/// elsewhere. The thread must not make its next task where that one was to lie.
TEST(Task, AGuestThatIsElsewhereLeavesNoPlaceForAFrame) {
  runtime r({.workers = 2});
  const auto waits = [](int n) {
    std::atomic<bool> stolen{false};
    nopal::parallel_invoke([&] { until(stolen); },
                           [&] {
                             stolen = true;
                             std::this_thread::sleep_for(std::chrono::milliseconds(1));
                           });
    return fib(static_cast<unsigned>(n));
  };
  const auto forks = [&]() -> task<std::uint64_t> {
    std::uint64_t a;
    co_await fork(&a, waits, 9);
    co_await join();
    co_return a;
  };
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(r.run(forks), 34U);
    EXPECT_EQ(nopal_words_of_strand.left, nullptr);
  }
}

}  // namespace
