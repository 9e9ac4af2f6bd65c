// SPDX-License-Identifier: Apache-2.0
// A program that is compiled and run twice: with the runtime, and with NOPAL_SERIAL and no library.
// Either way it must compile and have the same results.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
#include <type_traits>
#include <vector>

#include "nopal/algorithm.hpp"
#include "nopal/async.hpp"
#include "nopal/fork_frame.hpp"
#include "nopal/parallel_invoke.hpp"
#include "nopal/reducer.hpp"
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

/// Can neither be copied nor made from nothing.
struct only_moved {
  explicit only_moved(int v) : value(std::make_unique<int>(v)) {}
  std::unique_ptr<int> value;
};

TEST(Elision, ClosuresReturn) {
  int here = 1;
  const auto one = [&]() -> int& { return here; };
  const auto two = [] { return only_moved(2); };
  const auto three = []() -> const std::string { return "3"; };
  auto all = nopal::parallel_invoke(one, two, three, [n = 3]() mutable { return ++n; });
  static_assert(
      std::is_same_v<decltype(all), std::tuple<int&, only_moved, const std::string, int>>);
  EXPECT_EQ(&std::get<0>(all), &here);
  EXPECT_EQ(*std::get<1>(all).value, 2);
  EXPECT_EQ(std::get<2>(all), "3");
  EXPECT_EQ(std::get<3>(all), 4);
  auto [a, b] = nopal::parallel_invoke(two, one);
  EXPECT_EQ(*a.value + ++b, 4);
  EXPECT_EQ(here, 2);
  auto [c] = nopal::parallel_invoke([] { return std::tuple(5); });
  EXPECT_EQ(c, std::tuple(5));
  static_assert(std::is_void_v<decltype(nopal::parallel_invoke([] {}))>);
  static_assert(std::is_void_v<decltype(nopal::parallel_invoke())>);
  const auto throws = [](const char* what) {
    return [what]() -> only_moved { throw std::runtime_error(what); };
  };
  EXPECT_EQ(thrown_by([&] { nopal::parallel_invoke(two, throws("first"), throws("second")); }),
            "first");
}

std::uint64_t fib_of_closures(unsigned n) {
  if (n < 2) return n;
  const auto [a, b] = nopal::parallel_invoke([n] { return fib_of_closures(n - 1); },
                                             [n] { return fib_of_closures(n - 2); });
  return a + b;
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
  EXPECT_EQ(nopal::run(fib_of_closures, 15U), 610U);
  EXPECT_EQ(nopal::run(fib_in_the_middle, 15U), 610U);
  EXPECT_EQ(nopal::run(fib, 15U), 610U);
  EXPECT_EQ(nopal::wait(fib(15)), 610U);
  nopal::runtime two({.workers = 2});
  EXPECT_EQ(two.run(fib, 15U), 610U);
}

TEST(Elision, Claims) {
  nopal::runtime r({.workers = 3});
  nopal::claim c = r.claim({.at_least = 1, .at_most = 1});
  int spawned = 0;
  {
    nopal::task_scope s(c);
    s.spawn([&] { spawned = 1; });
    s.join();
  }
  EXPECT_EQ(spawned, 1);
  std::atomic<unsigned> sum{0};
  nopal::countdown done(3);
  c.infect(3, [&](unsigned number) {
    sum += number;
    done.signal();
  });
  done.wait();
  EXPECT_EQ(sum.load(), 3U);
  c.grow(1);
  EXPECT_EQ(c.workers(), 2U);
  EXPECT_EQ(c.run(fib_in_the_middle, 15U), 610U);
  EXPECT_EQ(c.run(fib, 15U), 610U);
  c.shrink(1);
  EXPECT_EQ(c.workers(), 1U);
  EXPECT_NE(thrown_by([&] { c.shrink(1); }), "");
  // A thief leaves its stack after it has arrived, so the caller may be back before it.
  while (c.stats().stacks_in_use != 0) std::this_thread::yield();
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

task<> signals(nopal::countdown& d) {
  d.signal();
  co_return;
}

task<int> signals_then_waits(nopal::countdown& d) {
  co_await fork(signals, d);
  co_await d;
  co_return 7;
}

TEST(Elision, Countdown) {
  nopal::countdown d;
  for (int i = 0; i < 3; ++i) {
    d.add(4);
    nopal::parallel_invoke([&] { d.signal(3); }, [&] { d.signal_and_end(); }, [&] { d.wait(); });
    d.add();
    EXPECT_EQ(nopal::run(signals_then_waits, d), 7);
    EXPECT_TRUE(d.done());
  }
}

TEST(Elision, WorkerLocal) {
  std::vector<int> v(1000);
  std::iota(v.begin(), v.end(), 0);
  nopal::worker_local<int> sum;
  nopal::for_each(v, [&](int x) { sum.with([x](int& s) { s += x; }); });
  EXPECT_EQ(sum.combine(std::plus<>{}), 499500);
  nopal::runtime one({.workers = 1, .caller_works = false});
  EXPECT_TRUE(one.run([] { return nopal::current_worker().has_value(); }));
}

TEST(Elision, Reducer) {
  nopal::reducer<nopal::monoid::vector<int>> all(1U, -1);
  nopal::reducer<nopal::monoid::max<int>> largest;
  nopal::for_each(0, 100, [&](int i) {
    all->push_back(i);
    largest.update(i);
  });
  std::vector<int> expected(101);
  std::iota(expected.begin(), expected.end(), -1);
  EXPECT_EQ(*all, expected);
  EXPECT_EQ(largest.get_value(), 99);
}

task<> adds(std::atomic<int>& sum, int k) {
  sum += k;
  co_return;
}

TEST(Elision, AScopeRunsWhatItHasSpawned) {
  std::atomic<int> sum{0};
  nopal::runtime two({.workers = 2});
  nopal::task_scope s(two);
  s.spawn([&] { sum += 1; });
  s.spawn([&](std::unique_ptr<int> p, int k) { sum += *p + k; }, std::make_unique<int>(10), 100);
  s.spawn([&](const std::stop_token& stop) { sum += stop.stop_requested() ? 0 : 1000; });
  s.spawn(nopal::near(0), [&] { sum += 10'000; });
  s.spawn(adds, std::ref(sum), 100'000);
  s.spawn([&] { s.spawn([&] { sum += 1'000'000; }); });
  s.join();
  EXPECT_EQ(sum.load(), 1'111'111);
  EXPECT_NE(thrown_by([&] { s.spawn(nopal::near(5000), [] {}); }).find("no worker 5000"),
            std::string::npos);
  s.request_stop();
  EXPECT_TRUE(s.get_stop_token().stop_requested());
}

TEST(Elision, AScopeThrowsWhenItIsJoined) {
  nopal::task_scope s;
  s.spawn([] { throw std::runtime_error("one"); });
  s.spawn([] {});
  EXPECT_EQ(thrown_by([&] { s.join(); }), "one");
  EXPECT_EQ(thrown_by([&] { s.join(); }), "");
  s.spawn([] { throw std::runtime_error("dropped"); });
}

task<int> twice(nopal::pending<int>& p) { co_return 2 * co_await p; }
task<> sets_and_signals(int& to, nopal::countdown& d) {
  to = 1;
  d.signal_and_end();
  co_return;
}
task<int> awaits(nopal::countdown& d, const int& set) {
  co_await d;
  co_return set;
}

TEST(Elision, PendingResults) {
  nopal::task_scope s;
  int place = 3;
  nopal::pending<int> value = s.async([](int x) { return x + 1; }, 41);
  nopal::pending<int> awaited = s.async([] { return 21; });
  nopal::pending<int&> reference = s.async([&]() -> int& { return place; });
  nopal::pending<void> nothing = s.async([] {});
  nopal::pending<int> thrown = s.async([]() -> int { throw std::runtime_error("lost"); });
  nopal::pending<std::string> of_a_task = s.async(text, 7);
  EXPECT_EQ(value.get(), 42);
  EXPECT_EQ(nopal::run(twice, std::ref(awaited)), 42);
  EXPECT_EQ(&reference.get(), &place);
  nothing.get();
  EXPECT_EQ(thrown_by([&] { thrown.get(); }), "lost");
  EXPECT_EQ(of_a_task.get(), "7");
  s.join();
}

TEST(Elision, ACountdownIsSignalledBeforeItsWait) {
  nopal::countdown d(2);
  int set = 0, seen = 0;
  EXPECT_FALSE(d.done());
  nopal::run([&] {
    d.add();
    d.signal(2);
    nopal::parallel_invoke([&] { nopal::wait(sets_and_signals(set, d)); },
                           [&] { seen = nopal::wait(awaits(d, set)); });
  });
  EXPECT_EQ(seen, 1);
  EXPECT_TRUE(d.done());
  d.wait();
}

TEST(Elision, DetachedFunctionsHaveRunWhenTheirRuntimeIsGone) {
  std::atomic<int> sum{0};
  {
    nopal::runtime two({.workers = 2});
    two.spawn_detached([&](int k) { sum += k; }, 1);
    two.spawn_detached([&](const std::stop_token& stop) { sum += stop.stop_possible() ? 0 : 10; });
    two.spawn_detached(adds, std::ref(sum), 100);
  }
  EXPECT_EQ(sum.load(), 111);
}

}  // namespace
