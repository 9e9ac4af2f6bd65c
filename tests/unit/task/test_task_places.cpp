// SPDX-License-Identifier: Apache-2.0
// Plain functions as tasks, places for what tasks return and throw, and all of several tasks.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/everywhere.hpp"

namespace {

using nopal::all;
using nopal::call;
using nopal::eventual;
using nopal::fork;
using nopal::join;
using nopal::lift;
using nopal::task;
using nopal::try_eventual;
using nopal_test::everywhere;

int plain_fib(int n) {
  if (n < 2) return n;
  int a, b;
  nopal::parallel_invoke([&] { a = plain_fib(n - 1); }, [&] { b = plain_fib(n - 2); });
  return a + b;
}

task<> lifts() {
  int a, b;
  co_await fork(&a, lift, plain_fib, 10);
  co_await call(&b, lift, plain_fib, 11);
  co_await join();
  EXPECT_EQ(a + b, 144);

  int counted = 0;
  const auto count = [](int& n, std::unique_ptr<int> by) { n += *by; };
  co_await fork(lift, count, std::ref(counted), std::make_unique<int>(3));
  co_await join();
  EXPECT_EQ(counted, 3);

  // What is given is copied at the fork.
  std::vector<std::string> texts{"a", "bb"};
  std::array<eventual<std::string>, 2> doubled;
  for (std::size_t i = 0; i < 2; ++i) {
    std::string text = texts[i];
    co_await fork(&doubled[i], lift, [](const std::string& s) { return s + s; }, text);
    text = "changed";
  }
  int* place = nullptr;
  co_await fork(&place, lift, [](int& n) -> int& { return n; }, std::ref(counted));
  co_await join();
  EXPECT_EQ(*doubled[0], "aa");
  EXPECT_EQ(*doubled[1], "bbbb");
  EXPECT_EQ(place, &counted);
  EXPECT_EQ(co_await call(lift, &std::string::size, texts[1]), 2U);
  EXPECT_EQ(co_await lift(plain_fib, 7), 13);
}

TEST(TaskPlaces, LiftForksPlainFunctions) {
  everywhere([] { nopal::wait(lifts()); });
  EXPECT_EQ(nopal::run(lift, plain_fib, 12), 144);
}

task<int&> the_same(int& x) { co_return x; }
task<> add(std::atomic<int>& sum, int n) {
  sum += n;
  co_return;
}
task<> throws(int n) {
  throw std::runtime_error(std::to_string(n));
  co_return;
}

/// Forks into eventuals without knowing what the task returns.
template <class T, class F, class... A>
task<T> generic(F f, A... args) {
  eventual<T> e;
  co_await fork(&e, f, args.get()...);
  co_await join();
  EXPECT_TRUE(e.has_value());
  co_return *e;
}

task<> eventuals() {
  int x = 4;
  int& same = co_await generic<int&>(the_same, std::ref(x));
  EXPECT_EQ(&same, &x);
  std::atomic<int> sum{0};
  int five = 5;
  co_await generic<void>([](std::atomic<int>& s, int n) { return add(s, n); }, std::ref(sum),
                         std::ref(five));
  EXPECT_EQ(sum, 5);

  eventual<int&> called;
  co_await call(&called, the_same, x);
  EXPECT_EQ(&*called, &x);
  EXPECT_EQ(&*std::as_const(called), &x);
  eventual<void> nothing, threw;
  EXPECT_FALSE(nothing.has_value());
  co_await call(&nothing, add, sum, 1);
  EXPECT_TRUE(nothing.has_value());
  co_await fork(&threw, throws, 1);
  bool caught = false;
  try {
    co_await join();
  } catch (const std::runtime_error&) {
    caught = true;
  }
  EXPECT_TRUE(caught);
  EXPECT_FALSE(threw.has_value());
}

TEST(TaskPlaces, EventualsOfReferencesAndOfNothing) {
  everywhere([] { nopal::wait(eventuals()); });
}

task<int> odd_throws(int n) {
  int a = 0, b = 0;
  if (n > 1) {
    co_await fork(&a, odd_throws, n - n % 2 - 2);
    co_await call(&b, odd_throws, n - n % 2 - 2);
    co_await join();
  }
  if (n % 2 != 0) throw std::runtime_error(std::to_string(n));
  co_return 1 + a + b;
}

task<> outcomes() {
  {
    std::vector<try_eventual<int>> each(10);
    for (int i = 0; i < 10; ++i) co_await fork(&each[static_cast<std::size_t>(i)], odd_throws, i);
    co_await join();  // throws nothing
    for (int i = 0; i < 10; ++i) {
      try_eventual<int>& e = each[static_cast<std::size_t>(i)];
      EXPECT_EQ(e.has_value(), i % 2 == 0);
      EXPECT_EQ(e.error() == nullptr, i % 2 == 0);
      if (e) {
        EXPECT_EQ(*e, (2 << i / 2) - 1);
        EXPECT_EQ(e.take(), (2 << i / 2) - 1);
      } else {
        std::string what;
        try {
          e.take();
        } catch (const std::runtime_error& thrown) {
          what = thrown.what();
        }
        EXPECT_EQ(what, std::to_string(i));
      }
    }
  }
  try_eventual<void> fails, succeeds;
  try_eventual<int&> reference;
  try_eventual<std::unique_ptr<int>> moved;
  std::atomic<int> sum{0};
  int x = 1;
  EXPECT_FALSE(succeeds.has_value());
  co_await fork(&fails, throws, 8);
  co_await fork(&succeeds, add, sum, 4);
  co_await fork(&reference, the_same, x);
  co_await call(
      &moved, [](std::unique_ptr<int> p) -> task<std::unique_ptr<int>> { co_return p; },
      std::make_unique<int>(6));
  EXPECT_EQ(**moved, 6);
  co_await join();
  EXPECT_FALSE(fails.has_value());
  EXPECT_TRUE(succeeds.has_value());
  EXPECT_EQ(&*reference, &x);
  succeeds.take();
  EXPECT_EQ(sum, 4);
}

/// A place that is used again has the outcome of the last child.
task<> outcomes_in_turn() {
  try_eventual<int> e;
  try_eventual<void> n;
  std::atomic<int> sum{0};
  for (int i = 0; i < 4; ++i) {
    co_await fork(&e, odd_throws, i);
    if (i % 2 != 0)
      co_await fork(&n, throws, 1);
    else
      co_await fork(&n, add, sum, 1);
    co_await join();
    EXPECT_EQ(std::as_const(e).has_value(), i % 2 == 0);
    EXPECT_EQ(e.error() == nullptr, i % 2 == 0);
    EXPECT_EQ(n.has_value(), i % 2 == 0);
    EXPECT_EQ(n.error() == nullptr, i % 2 == 0);
    if (e) EXPECT_EQ(*std::as_const(e), (2 << i / 2) - 1);
  }
}

TEST(TaskPlaces, APlaceIsUsedAgain) {
  everywhere([] {
    for (int i = 0; i < 20; ++i) nopal::wait(outcomes_in_turn());
  });
}

TEST(TaskPlaces, EachChildMayFailByItself) {
  everywhere([] {
    for (int i = 0; i < 20; ++i) nopal::wait(outcomes());
  });
}

/// A scope that an exception ends waits for what its places are for.
task<> left_by_exception(std::atomic<int>& ended) {
  const auto slow = [](std::atomic<int>& e) -> task<int> {
    co_await nopal::resume_on(0);
    ++e;
    co_return 1;
  };
  try {
    try_eventual<int> a;
    eventual<void> b;
    co_await fork(&a, slow, ended);
    co_await fork(&b, add, ended, 1);
    throw std::runtime_error("before the join");
  } catch (const std::runtime_error&) {
    EXPECT_EQ(ended, 2);
  }
}

TEST(TaskPlaces, AnExceptionWaitsForTheChildren) {
  everywhere([] {
    for (int i = 0; i < 50; ++i) {
      std::atomic<int> ended{0};
      nopal::wait(left_by_exception(ended));
    }
  });
}

/// A function that throws before it makes its task, one that makes its task elsewhere, and one that
/// waits before it makes its task.
task<> made_in_other_ways() {
  const auto no_task = [](bool really) -> task<int> {
    if (really) throw std::logic_error("no task");
    return odd_throws(2);
  };
  try_eventual<int> a, b, c, d;
  bool caught = false;
  try {
    co_await fork(&a, no_task, true);
  } catch (const std::logic_error&) {
    caught = true;
  }
  EXPECT_TRUE(caught);
  EXPECT_FALSE(a.has_value());
  co_await fork(&b, no_task, false);
  task<int> before = odd_throws(4);
  co_await fork(&c, [](task<int>& t) { return std::move(t); }, before);
  const auto waits = [](int n) {
    nopal::parallel_invoke([&] { n += plain_fib(2); }, [] { plain_fib(5); });
    return odd_throws(n);
  };
  co_await fork(&d, waits, 1);
  co_await join();
  EXPECT_EQ(*b, 3);
  EXPECT_EQ(*c, 7);
  EXPECT_EQ(*d, 3);
}

TEST(TaskPlaces, FunctionsMakeTheirTaskInSeveralWays) {
  everywhere([] {
    for (int i = 0; i < 50; ++i) nopal::wait(made_in_other_ways());
  });
}

task<std::string> repeat(std::string s, int n) {
  std::string r;
  for (int i = 0; i < n; ++i) r += s;
  co_return r;
}

task<> alls() {
  int x = 0;
  std::atomic<int> sum{0};
  auto [a, b, c, d] = co_await all(odd_throws(6), repeat("ab", 2), the_same(x), add(sum, 7));
  EXPECT_EQ(a, 15);
  EXPECT_EQ(b, "abab");
  EXPECT_EQ(&c, &x);
  EXPECT_EQ(sum, 7);
  static_assert(std::is_same_v<decltype(d), std::monostate>);
  co_await all();
  const std::tuple<int> one = co_await all(odd_throws(0));
  EXPECT_EQ(std::get<0>(one), 1);

  std::vector<task<int>> tasks;
  for (int i = 0; i < 20; i += 2) tasks.push_back(odd_throws(i / 2 * 2 % 8));
  const std::vector<int> results = co_await all(std::move(tasks));
  EXPECT_EQ(results, (std::vector<int>{1, 3, 7, 15, 1, 3, 7, 15, 1, 3}));
  std::deque<task<>> adds;
  for (int i = 0; i < 10; ++i) adds.push_back(add(sum, i));
  co_await all(adds);
  EXPECT_EQ(sum, 7 + 45);
  std::deque<task<int&>> references;
  for (int i = 0; i < 2; ++i) references.push_back(the_same(x));
  const std::vector<int*> pointers = co_await all(references);
  EXPECT_EQ(pointers, std::vector<int*>(2, &x));
  EXPECT_TRUE((co_await all(std::vector<task<std::string>>())).empty());

  std::string what;
  try {
    co_await all(add(sum, 1), odd_throws(3), odd_throws(5), add(sum, 1));
  } catch (const std::runtime_error& e) {
    what = e.what();
  }
  EXPECT_EQ(what, "3");
  EXPECT_EQ(sum, 7 + 45 + 2);  // all have ended
}

TEST(TaskPlaces, AllOfSeveralTasks) {
  everywhere([] {
    for (int i = 0; i < 20; ++i) nopal::wait(alls());
  });
  EXPECT_EQ(std::get<0>(nopal::wait(all(odd_throws(2), odd_throws(4)))), 3);
}

}  // namespace
