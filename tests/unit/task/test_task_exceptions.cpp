// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "nopal/nopal.hpp"
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

struct failure {
  int number;
};

task<> fail(int number) {
  throw failure{number};
  co_return;
}
task<> nothing() { co_return; }

template <class Task>
int number_thrown_by(Task t) {
  try {
    nopal::wait(std::move(t));
  } catch (const failure& f) {
    return f.number;
  }
  return 0;
}

TEST(TaskExceptions, OfTheOutermostTask) {
  for (const bool caller_works : {false, true}) {
    everywhere([] { EXPECT_EQ(number_thrown_by(fail(3)), 3); });
    runtime r({.workers = 1, .caller_works = caller_works});
    EXPECT_THROW(r.run(fail, 1), failure);
  }
}

task<> in_the_third_of_five() {
  co_await fork(nothing);
  co_await fork(nothing);
  co_await fork(fail, 3);
  co_await fork(nothing);
  co_await fork(fail, 5);
  co_await join();
  ADD_FAILURE() << "the join must throw";
}

TEST(TaskExceptions, TheSeriallyFirstArrivesAtTheJoin) {
  everywhere([] {
    for (int i = 0; i < 500; ++i) EXPECT_EQ(number_thrown_by(in_the_third_of_five()), 3);
  });
}

/// Child i throws when child i + 1 has.
task<> fail_backwards(std::array<std::atomic<bool>, 4>& thrown, unsigned i) {
  if (i + 1 < thrown.size()) until(thrown[i + 1]);
  thrown[i] = true;
  throw failure{static_cast<int>(i)};
  co_return;
}

task<> in_the_reverse_order() {
  std::array<std::atomic<bool>, 4> thrown{};
  for (unsigned i = 0; i < thrown.size(); ++i) co_await fork(fail_backwards, thrown, i);
  co_await join();
}

TEST(TaskExceptions, SerialOrderIsNotTheOrderInTime) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 4, .caller_works = caller_works});
    for (int i = 0; i < 20; ++i) {
      int number = -1;
      try {
        r.run(in_the_reverse_order);
      } catch (const failure& f) {
        number = f.number;
      }
      EXPECT_EQ(number, 0);
    }
  }
}

task<int> count_up(std::atomic<int>& ran, std::atomic<bool>& stolen) {
  until(stolen);
  co_return ++ran;
}

/// The call throws while a child is at work that was forked before it.
task<> call_throws(std::atomic<int>& ran, int& seen) {
  std::atomic<bool> stolen{false};
  int result = 0;
  const auto call_it = [&]() -> task<> {
    stolen = true;
    throw failure{7};
    co_return;
  };
  co_await fork(&result, count_up, ran, stolen);
  try {
    co_await call(call_it);
  } catch (const failure&) {
    seen = ran;  // the child has been waited for
    throw;
  }
}

TEST(TaskExceptions, ACallThatThrowsJoinsFirst) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 100; ++i) {
      std::atomic<int> ran = 0;
      int seen = 0;
      EXPECT_THROW(r.run(call_throws, ran, seen), failure);
      EXPECT_EQ(seen, 1);
    }
  }
}

task<> child_before_call() {
  co_await fork(fail, 1);
  co_await call(fail, 2);
}

TEST(TaskExceptions, AChildThrewBeforeTheCall) {
  everywhere([] {
    for (int i = 0; i < 200; ++i) EXPECT_EQ(number_thrown_by(child_before_call()), 1);
  });
}

task<> call_is_caught() {
  bool caught = false;
  try {
    co_await call(fail, 2);
  } catch (const failure& f) {
    caught = f.number == 2;
  }
  EXPECT_TRUE(caught);
  co_await fork(nothing);
  co_await join();
  try {
    co_await fork(fail, 4);
    co_await call(nothing);
    co_await join();
    ADD_FAILURE() << "the join must throw";
  } catch (const failure& f) {
    EXPECT_EQ(f.number, 4);
  }
  co_await join();
}

TEST(TaskExceptions, AfterOneATaskGoesOn) {
  everywhere([] {
    for (int i = 0; i < 200; ++i) nopal::wait(call_is_caught());
  });
}

task<std::string> long_text(std::atomic<bool>& stolen) {
  until(stolen);
  co_return std::string(1000, 'x');
}

/// Leaves its scope by an exception of its own, its child still running.
task<> leaves_scope(std::atomic<bool>& stolen) {
  eventual<std::string> text;
  co_await fork(&text, long_text, stolen);
  stolen = true;
  throw failure{9};
}

TEST(TaskExceptions, AnUnjoinedForkIsJoined) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 200; ++i) {
      std::atomic<bool> stolen{false};
      EXPECT_THROW(r.run(leaves_scope, stolen), failure);
    }
  }
}

task<> leaves_after_child_threw() {
  co_await fork(fail, 1);
  throw failure{2};
}
task<int> returns_without_join(std::atomic<int>& ran, std::atomic<bool>& stolen) {
  int result = 0;
  co_await fork(&result, count_up, ran, stolen);
  stolen = true;
  co_return 5;
}
task<> returns_though_child_threw() {
  co_await fork(fail, 6);
  co_await fork(nothing);
}

TEST(TaskExceptions, TheEndIsAJoin) {
  for (const bool caller_works : {false, true}) {
    everywhere([] {
      for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(number_thrown_by(leaves_after_child_threw()), 1);
        EXPECT_EQ(number_thrown_by(returns_though_child_threw()), 6);
      }
    });
    runtime r({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 200; ++i) {
      std::atomic<int> ran = 0;
      std::atomic<bool> stolen{false};
      EXPECT_EQ(r.run(returns_without_join, ran, stolen), 5);
      EXPECT_EQ(ran, 1);
    }
  }
}

task<> fail_late(std::atomic<bool>& stolen, int number) {
  until(stolen);
  throw failure{number};
  co_return;
}
task<int> returns_though_stolen_child_threw() {
  std::atomic<bool> stolen{false};
  co_await fork(fail_late, stolen, 3);
  stolen = true;
  co_return 5;
}
task<> scope_ends_before_the_join() {
  std::atomic<bool> stolen{false};
  {
    auto scope = co_await nopal::join_scope();
    co_await fork(fail_late, stolen, 4);
    stolen = true;
  }
  co_await fork(nothing);
  co_await join();
  ADD_FAILURE() << "the join must throw";
}
/// The scope's end joins, but what comes after it is still serially later.
task<> throws_after_scope() {
  std::atomic<bool> first{false}, second{false};
  {
    auto scope = co_await nopal::join_scope();
    co_await fork(fail_late, first, 5);
    first = true;
    co_await fork(fail_late, second, 6);
    second = true;
  }
  throw failure{7};
}

/// As a child, since the outermost task is always looked at closely at its end.
template <task<> (*f)()>
task<> as_a_call() {
  co_await call(f);
}
template <task<> (*f)()>
task<> as_a_fork() {
  co_await fork(f);
  co_await join();
}
task<> without_result() { co_await call(returns_though_stolen_child_threw); }

TEST(TaskExceptions, OfStolenChildrenAtTheEndOfAScope) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    const auto number = [&](auto f) { return r.run([&] { return number_thrown_by(f()); }); };
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(number(as_a_call<without_result>), 3);
      EXPECT_EQ(number(as_a_fork<without_result>), 3);
      EXPECT_EQ(number(as_a_call<scope_ends_before_the_join>), 4);
      EXPECT_EQ(number(as_a_fork<scope_ends_before_the_join>), 4);
      EXPECT_EQ(number(as_a_call<throws_after_scope>), 5);
      EXPECT_EQ(number(as_a_fork<throws_after_scope>), 5);
    }
  }
}

struct copy_throws {
  copy_throws() = default;
  copy_throws(const copy_throws&) { throw failure{8}; }
};
task<> take_it(copy_throws) { co_return; }

/// The frame that the argument was to be copied into is given back, and the next one lies in its
/// place.
task<> argument_throws() {
  const copy_throws argument;
  for (int i = 0; i < 3; ++i) {
    try {
      co_await fork(take_it, argument);
      ADD_FAILURE() << "the copy must throw";
    } catch (const failure& f) {
      EXPECT_EQ(f.number, 8);
    }
    co_await fork(nothing);
  }
  co_await join();
}

task<> write_late(int& where, std::atomic<bool>& stolen) {
  until(stolen);
  for (int i = 0; i < 50; ++i) std::this_thread::yield();
  where = 1;
  co_return;
}

/// The call throws before there is a child, and what another one uses is still there when it has
/// ended.
task<> call_cannot_begin(int& seen) {
  struct guarded {
    explicit guarded(int& s) : seen(&s) {}
    ~guarded() { *seen = value; }
    int value = 0;
    int* seen;
  };
  const copy_throws argument;
  std::atomic<bool> stolen{false};
  guarded g(seen);
  co_await fork(write_late, g.value, stolen);
  stolen = true;
  co_await call(take_it, argument);
}

TEST(TaskExceptions, ACallThatCannotBeginJoinsFirst) {
  for (const bool caller_works : {false, true}) {
    runtime r({.workers = 2, .caller_works = caller_works});
    for (int i = 0; i < 100; ++i) {
      int seen = -1;
      EXPECT_THROW(r.run(call_cannot_begin, seen), failure);
      EXPECT_EQ(seen, 1);
    }
  }
}

TEST(TaskExceptions, ACopyOfAnArgumentThrows) {
  everywhere([] {
    for (int i = 0; i < 200; ++i) nopal::wait(argument_throws());
  });
}

int in_handler(int depth);

task<> throws_in_pieces(int depth) {
  co_await fork(fail, 1);
  if (depth > 0) {
    EXPECT_EQ(in_handler(depth - 1), 1);
  }
  co_await join();
}

/// Waits inside a handler; what is handled must be the same afterwards.
int in_handler(int depth) {
  try {
    throw failure{depth + 100};
  } catch (const failure& outer) {
    int number = 0;
    try {
      nopal::wait(throws_in_pieces(depth));
    } catch (const failure& f) {
      number = f.number;
    }
    try {
      throw;
    } catch (const failure& again) {
      EXPECT_EQ(again.number, depth + 100);
      EXPECT_EQ(&again, &outer);
    }
    EXPECT_EQ(std::uncaught_exceptions(), 0);
    return number;
  }
}

TEST(TaskExceptions, WaitInsideAHandler) {
  everywhere([] {
    for (int i = 0; i < 100; ++i) EXPECT_EQ(in_handler(5), 1);
  });
}

}  // namespace
