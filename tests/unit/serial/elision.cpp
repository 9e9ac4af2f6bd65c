// SPDX-License-Identifier: Apache-2.0
// A program that is compiled and run twice: with the runtime, and with NOPAL_SERIAL and no library.
// Either way it must compile and have the same results.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/async/claim.hpp"
#include "nopal/fork_frame.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/runtime.hpp"
#include "nopal/task.hpp"
#include "nopal/task/allocate.hpp"
#include "nopal/task/resume_on.hpp"

namespace {

using nopal::call;
using nopal::fork;
using nopal::join;
using nopal::task;

/// The message of what f throws; empty where it throws nothing.
template <class F>
std::string thrown_by(F&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

struct only_as_lvalue {
  int* calls;
  void operator()() & { ++*calls; }
  void operator()() && = delete;
};

TEST(Elision, ClosuresAreCalledWhereTheyAre) {
  int first = 0, second = 0, third = 0;
  only_as_lvalue last{&third};
  nopal::parallel_invoke(only_as_lvalue{&first}, [&second]() mutable { ++second; }, last);
  EXPECT_EQ(first + second + third, 3);
}

NOPAL_FORKS std::uint64_t fib_in_the_middle(unsigned n) {
  if (n < 2) return n;
  nopal::fork_frame frame;
  std::uint64_t a = 0;
  frame.fork(&a, fib_in_the_middle, n - 1);
  const std::uint64_t b = fib_in_the_middle(n - 2);
  frame.join();
  return a + b;
}

task<std::uint64_t> fib(unsigned n) {
  if (n < 2) co_return n;
  std::uint64_t a, b;
  co_await fork(&a, fib, n - 1);
  co_await call(&b, fib, n - 2);
  co_await join();
  co_return a + b;
}

TEST(Elision, Fib) {
  EXPECT_EQ(nopal::run(fib_in_the_middle, 15U), 610U);
  EXPECT_EQ(nopal::run(fib, 15U), 610U);
  EXPECT_EQ(nopal::wait(fib(15)), 610U);
  nopal::runtime two({.workers = 2});
  EXPECT_EQ(two.run(fib, 15U), 610U);
}

TEST(Elision, Claims) {
  nopal::runtime r({.workers = 3});
  nopal::claim c = r.claim({.at_least = 1, .at_most = 1});
  c.grow(1);
  EXPECT_EQ(c.workers(), 2U);
  EXPECT_EQ(c.run(fib_in_the_middle, 15U), 610U);
  EXPECT_EQ(c.run(fib, 15U), 610U);
  c.shrink(1);
  EXPECT_EQ(c.workers(), 1U);
  EXPECT_NE(thrown_by([&] { c.shrink(1); }), "");
  EXPECT_EQ(c.stats().stacks_in_use, 0U);
}

task<std::string> text(int n) { co_return std::to_string(n); }
task<int&> same(int& n) { co_return n; }
task<> fails(const char* what) {
  throw std::runtime_error(what);
  co_return;
}
task<std::unique_ptr<int>> owner(std::unique_ptr<int> p) { co_return p; }

task<std::string> every_kind() {
  nopal::eventual<std::string> a;
  int one = 1;
  int* where = nullptr;
  {
    const auto scope = co_await nopal::join_scope();
    co_await fork(&a, text, 1);
    co_await fork(&where, same, one);
    co_await join();
  }
  ++*where;
  task<std::string> made_before = text(3);
  std::string all = *a + (co_await call(text, one)) + co_await std::move(made_before);
  all += std::to_string(*co_await owner(std::make_unique<int>(4)));
  ++co_await same(one);
  const auto squares = co_await nopal::allocate<int>(5);
  for (int& x : squares) x = static_cast<int>(&x - squares.data());
  co_await nopal::resume_on(0);
  const int sum = co_await call(nopal::tasks::fold, squares, 0, std::plus<>{});
  co_return all + ' ' + std::to_string(one) + ' ' + std::to_string(sum);
}

TEST(Elision, EveryKindOfTask) { EXPECT_EQ(nopal::run(every_kind), "1234 3 10"); }

task<> join_throws(std::string& log) {
  co_await fork(fails, "first");
  log += "behind the fork, ";
  co_await fork(fails, "second");
  log += thrown_by([&] { nopal::wait(fails("inner")); }) + ", ";
  co_await join();
  log += "never";
}
task<> call_throws() {
  co_await fork(fails, "of the fork");
  co_await call(fails, "of the call");
}
task<> ends_without_join() { co_await fork(fails, "at the end"); }
task<> throws_after_a_fork() {
  co_await fork(fails, "of the child");
  throw std::runtime_error("own");
}
task<> goes_on_after_a_join(std::string& log) {
  try {
    co_await fork(fails, "caught");
    co_await join();
  } catch (const std::runtime_error& e) {
    log = e.what();
  }
  co_await join();
}

TEST(Elision, ExceptionsInSerialOrder) {
  std::string log;
  EXPECT_EQ(thrown_by([&] { nopal::run(join_throws, log); }), "first");
  EXPECT_EQ(log, "behind the fork, inner, ");
  EXPECT_EQ(thrown_by([] { nopal::run(call_throws); }), "of the fork");
  EXPECT_EQ(thrown_by([] { nopal::run(ends_without_join); }), "at the end");
  EXPECT_EQ(thrown_by([] { nopal::run(throws_after_a_fork); }), "of the child");
  EXPECT_EQ(thrown_by([&] { nopal::run(goes_on_after_a_join, log); }), "");
  EXPECT_EQ(log, "caught");
  task<> moved = ends_without_join();
  const task<> there = std::move(moved);
  EXPECT_NE(thrown_by([&] { nopal::wait(std::move(moved)); }).find("moved from"),
            std::string::npos);
  EXPECT_NE(thrown_by([] {
              nopal::run([]() -> task<> { co_await nopal::resume_on(5000); });
            }).find("no worker 5000"),
            std::string::npos);
}

task<> note_start(bool& started) {
  started = true;
  co_return;
}

TEST(Elision, ATaskStartsWhenItIsRun) {
  bool started = false;
  {
    const task<> never = note_start(started);
  }
  EXPECT_FALSE(started);
  task<> once = note_start(started);
  nopal::wait(std::move(once));
  EXPECT_TRUE(started);
}

task<int> many(int n) {
  int sum = 0, one = 0;
  for (int i = 0; i < n; ++i) {
    co_await fork(&one, [](int k) -> task<int> { co_return k; }, 1);
    co_await join();
    sum += one;
  }
  co_return sum;
}

TEST(Elision, ALoopOfForksNeedsNoMoreStackThanOne) { EXPECT_EQ(nopal::run(many, 200000), 200000); }

TEST(Elision, Algorithms) {
  std::vector<int> v(1000);
  std::iota(v.begin(), v.end(), 0);
  nopal::for_each(v, [](int& x) { ++x; });
  EXPECT_EQ(nopal::fold(v, 0, std::plus<>{}), 500500);
  EXPECT_EQ(nopal::run(nopal::tasks::fold, v, 0, std::plus<>{}), 500500);
}

}  // namespace
