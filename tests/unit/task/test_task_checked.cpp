// SPDX-License-Identifier: Apache-2.0
// What a checking build says of tasks that go wrong in silence otherwise.
#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nopal/nopal.hpp"
#include "support/child_process.hpp"

namespace {

using nopal_test::ended_process;
using nopal_test::in_child;

template <class F>
ended_process expect_end(F f) {
  ended_process child = in_child([&] {
    f();
    return 0;
  });
  EXPECT_FALSE(child.ok()) << child;
  return child;
}

void expect_said(const ended_process& child, const std::string& what) {
  EXPECT_NE(child.errors.find(what), std::string::npos) << child;
}

// clang++ warns of it, g++ says nothing.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wreturn-type"
nopal::task<int> returns_if_positive(int n) {
  if (n > 0) co_return n;
}
nopal::task<std::string> returns_a_string_if_positive(int n) {
  if (n > 0) co_return "positive";
}
#pragma GCC diagnostic pop

TEST(TaskChecked, WithoutCoReturn) {
  EXPECT_EQ(nopal::run(returns_if_positive, 1), 1);
  EXPECT_EQ(nopal::run(returns_a_string_if_positive, 1), "positive");
  for (const auto run : {+[] { nopal::run(returns_if_positive, 0); },
                         +[] { nopal::run(returns_a_string_if_positive, 0); }}) {
    const ended_process child = expect_end(run);
    EXPECT_EQ(child.status, SIGABRT) << child;
    expect_said(child, "nopal: the task declared at ");
    expect_said(child, "test_task_checked.cpp:");
    expect_said(child, "if_positive");
    expect_said(child, "has come to its end without co_return");
  }
}

nopal::task<int> throws(int n) {
  if (n > 0) co_return n;
  throw std::runtime_error("instead of co_return");
}
nopal::task<void> returns_nothing() { co_return; }
nopal::task<void> ends_by_itself() { co_await returns_nothing(); }

TEST(TaskChecked, ThoseThatEndAsTheyMay) {
  EXPECT_THROW(nopal::run(throws, 0), std::runtime_error);
  nopal::run(ends_by_itself);
  int n = 3;
  const auto by_value = [n](int m) -> nopal::task<int> { co_return n + m; };
  const auto by_reference = [&n](int m) -> nopal::task<int> { co_return n + m; };
  nopal::task<int> first = by_value(1);
  nopal::task<int> second = by_reference(1);
  n = 4;
  EXPECT_EQ(nopal::wait(std::move(first)), 4);
  EXPECT_EQ(nopal::wait(std::move(second)), 5);
  EXPECT_EQ(nopal::run(by_value, 2), 5);
  EXPECT_EQ(nopal::wait([n]() -> nopal::task<int> { co_return n; }()), 4);
  auto changes = [n]() mutable -> nopal::task<int> { co_return n++; };
  nopal::task<int> third = changes();
  EXPECT_EQ(nopal::wait(changes()), 4);
  EXPECT_EQ(nopal::wait(std::move(third)), 5);
}

[[gnu::noinline]] nopal::task<int> call_of_a_local_closure(int n) {
  const auto closure = [n]() -> nopal::task<int> { co_return n; };
  return closure();
}
[[gnu::noinline]] int use_the_stack(int n) {
  volatile int used[64];
  for (volatile int& i : used) i = n;
  return used[n];
}
std::vector<nopal::task<int>> calls_of_closures_in_a_loop() {
  std::vector<nopal::task<int>> calls;
  for (int i = 0; i < 4; ++i) {
    const auto closure = [i]() -> nopal::task<int> { co_return i; };
    calls.push_back(closure());
  }
  use_the_stack(9);
  return calls;
}

TEST(TaskChecked, WhoseClosureIsGone) {
#ifdef __clang__
  if (!nopal_test::with_asan) GTEST_SKIP() << "clang++ does not tell a promise of the closure";
#endif
  for (const auto run : {+[] {
                           nopal::task<int> t = call_of_a_local_closure(7);
                           use_the_stack(9);
                           nopal::wait(std::move(t));
                         },
                         +[] {
                           for (nopal::task<int>& t : calls_of_closures_in_a_loop())
                             nopal::wait(std::move(t));
                         }}) {
    const ended_process child = expect_end(run);
    if (nopal_test::with_asan) {
      expect_said(child, "AddressSanitizer: stack-use-after-");
    } else {
      EXPECT_EQ(child.status, SIGABRT) << child;
      expect_said(child, "nopal: the task declared at ");
      expect_said(child, "begins when the closure that it is a call of is gone");
    }
  }
}

nopal::task<std::string> name(int n) { co_return std::to_string(n); }
nopal::task<std::string> reads_what_it_has_not_forked() {
  const nopal::eventual<std::string> a;
  co_return *a;
}
nopal::task<std::string> reads_after_join() {
  nopal::eventual<std::string> a;
  co_await nopal::fork(&a, name, 1);
  co_await nopal::join();
  co_return *a + std::to_string(a->size()) + *std::move(a);
}

TEST(TaskChecked, EventualWithoutValue) {
  EXPECT_EQ(nopal::run(reads_after_join), "111");
  const ended_process child = expect_end([] { nopal::run(reads_what_it_has_not_forked); });
  EXPECT_EQ(child.status, SIGABRT) << child;
  expect_said(child, "nopal: a nopal::eventual is read that has no value");
}

}  // namespace
