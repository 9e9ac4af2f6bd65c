// SPDX-License-Identifier: Apache-2.0
// Tasks: the ways their parents stop, what lies on their stacks, their exceptions, and every front
// end within every other.
#include <array>
#include <cfenv>
#include <cstdint>
#include <exception>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "nopal/nopal.hpp"
#include "program.hpp"
#include "values.hpp"

using namespace nopal_test;
using nopal::call;
using nopal::eventual;
using nopal::fork;
using nopal::join;
using nopal::task;

namespace {

task<std::uint64_t> fib(unsigned n) {
  if (n < 2) co_return n;
  std::uint64_t a, b;
  co_await fork(&a, fib, n - 1);
  co_await call(&b, fib, n - 2);
  co_await join();
  co_return a + b;
}

task<int> child(int n) {
  preempt();
  co_return opaque(n + 1);
}
task<> nothing() {
  preempt();
  co_return;
}
task<> throws(int n) {
  const tracked destroyed_by_unwinding(n);
  preempt();
  throw n;
  co_return;
}
task<int> throws_if(bool really, int n) {
  if (really) co_await call(throws, n);
  co_return n + 1;
}
task<tracked> make_tracked(int n) {
  preempt();
  co_return tracked(n);
}
bool none_on_its_way() {
  return std::uncaught_exceptions() == 0 && std::current_exception() == nullptr;
}

// --- joins -----------------------------------------------------------------------------------

task<unsigned> depth(unsigned n) {
  if (n == 0) co_return 0;
  unsigned below;
  co_await fork(&below, depth, n - 1);
  preempt();
  co_await join();
  co_return below + 1;
}

task<> rounds() {
  for (int round = 0; round < 4; ++round) {
    std::array<int, 5> a;
    for (int i = 0; i < 5; ++i) co_await fork(&a[static_cast<std::size_t>(i)], child, i);
    const int called = co_await call(child, 10 * round);
    co_await join();
    check(called == 10 * round + 1);
    check(std::accumulate(a.begin(), a.end(), 0) == 15);
    co_await join();
  }
}

/// Joins only by its end; what its children write to lies in the caller.
task<int> end_is_join(std::array<int, 4>& a, unsigned deeper) {
  for (int i = 0; i < 4; ++i) co_await fork(&a[static_cast<std::size_t>(i)], child, i);
  if (deeper != 0) {
    std::array<int, 4> below{};
    check(co_await call(end_is_join, below, deeper - 1) == 7);
    check(std::accumulate(below.begin(), below.end(), 0) == 10);
  }
  co_return 7;
}
task<> ends_are_joins() {
  std::array<std::array<int, 4>, 3> all{};
  std::array<int, 3> results{};
  for (unsigned i = 0; i < 3; ++i) co_await fork(&results[i], end_is_join, all[i], i);
  co_await join();
  for (const auto& a : all) check(std::accumulate(a.begin(), a.end(), 0) == 10);
  check(std::accumulate(results.begin(), results.end(), 0) == 21);
}

// --- what lies on the stacks -----------------------------------------------------------------

/// Its frame is of another size and content at each call. Where two strands used one stack, one
/// would find it changed.
template <std::size_t Words>
task<unsigned> fills_frame(unsigned n) {
  std::array<unsigned, Words> mine;
  mine.fill(opaque(n));
  unsigned a = 0, b = 0, c = 0;
  if (n != 0) {
    co_await fork(&a, fills_frame<3>, n - 1);
    preempt();
    if (n % 2 == 0) co_await call(&b, fills_frame<400>, n - 1);
    co_await fork(&c, fills_frame<60>, n / 2);
    if (n % 3 == 0) co_await join();
  }
  co_await join();
  for (const unsigned v : mine) check(v == n);
  co_return a + b + c + 1;
}
unsigned frames(unsigned n) {
  return n == 0 ? 1 : frames(n - 1) + (n % 2 == 0 ? frames(n - 1) : 0) + frames(n / 2) + 1;
}

task<int> sum(tracked a, std::unique_ptr<int> b, const std::array<tracked, 2>& c) {
  const tracked local(1);
  preempt();
  co_return a.value() + *b + c[0].value() + c[1].value() + local.value();
}
struct object {
  int base = 5;
  task<int> plus(tracked n) const {
    preempt();
    co_return base + n.value();
  }
};
task<tracked&> the_same(tracked& x) { co_return x; }
task<> objects() {
  const std::array<tracked, 2> both{tracked(3), tracked(4)};
  tracked one(6);
  const object o;
  eventual<tracked> made;
  eventual<std::string> text;
  int a = 0, b = 0;
  tracked* reference = nullptr;
  co_await fork(&a, sum, tracked(1), std::make_unique<int>(2), both);
  co_await fork(&made, make_tracked, 9);
  co_await fork(&b, &object::plus, o, tracked(2));
  co_await fork(&reference, the_same, one);
  co_await fork(make_tracked, 1);  // not wanted
  co_await fork(
      &text, [](std::string s) -> task<std::string> { co_return s + s; }, std::string(40, 'x'));
  check((co_await call(make_tracked, 8)).value() == 8);
  co_await join();
  check(a == 11 && b == 7 && made->value() == 9 && reference == &one && text->size() == 80);
}

/// Tasks that lie on the heap, since they were made before they are forked, and in another order.
task<std::uint64_t> hand_on(task<std::uint64_t>& t) { return std::move(t); }
task<> made_before() {
  std::vector<task<std::uint64_t>> made;
  for (unsigned n = 0; n < 6; ++n) made.push_back(fib(n));
  std::array<std::uint64_t, 5> results{};
  for (unsigned n = 5; n-- > 0;) co_await fork(&results[n], hand_on, made[n]);
  const std::uint64_t last = co_await std::move(made[5]);
  co_await join();
  check(last == 5 && std::accumulate(results.begin(), results.end(), std::uint64_t{0}) == 7);
}

// --- a parent that stops as plain code does --------------------------------------------------

/// Leaves a scope by an exception, while a child is to write into it. Then forks and joins as if
/// nothing had been.
task<> leaves_scope() {
  for (int round = 0; round < 3; ++round) {
    const tracked outer(round);
    int caught = -1;
    try {
      eventual<tracked> first;
      eventual<std::string> second;
      co_await fork(&first, make_tracked, round);
      if (round != 1)
        co_await fork(
            &second, [](int n) -> task<std::string> { co_return std::string(50, char('a' + n)); },
            round);
      const tracked inner(5);
      preempt();
      throw round;
    } catch (int e) {
      caught = e;
    }
    check(caught == round);
    int a = 0;
    co_await fork(&a, child, round);
    co_await fork(nothing);
    co_await join();
    check(a == round + 1 && outer.value() == round);
  }
}
/// The scope is the whole function.
task<int> leaves_itself(int n) {
  eventual<tracked> made;
  co_await fork(&made, make_tracked, n);
  co_await fork(nothing);
  preempt();
  throw n;
}
task<> leaves_itself_called() {
  int a = 0, b = 0, caught = -1;
  try {
    co_await fork(&a, child, 1);
    co_await call(&b, leaves_itself, 4);
    check(false);
  } catch (int e) {
    caught = e;
  }
  check(caught == 4 && a == 2 && none_on_its_way());
  co_await fork(&b, leaves_itself, 5);
  co_await fork(&a, child, 2);
  try {
    co_await join();
    check(false);
  } catch (int e) {
    caught = e;
  }
  check(caught == 5 && a == 3 && none_on_its_way());
}

// --- exceptions ------------------------------------------------------------------------------

/// The exception is that of the serially first child that throws, in whatever order they end.
task<> first_of(unsigned which) {
  std::array<int, 4> a{};
  int caught = -1;
  try {
    for (unsigned i = 0; i < 4; ++i)
      co_await fork(&a[i], throws_if, (which >> i & 1) != 0, static_cast<int>(i));
    co_await join();
  } catch (int e) {
    caught = e;
  }
  int first = -1;
  for (unsigned i = 4; i-- > 0;) {
    const bool threw = (which >> i & 1) != 0;
    if (threw) first = static_cast<int>(i);
    check(a[i] == (threw ? 0 : static_cast<int>(i) + 1));
  }
  check(caught == first && none_on_its_way());
}

/// A call that throws while children are at work, after one has thrown or not.
task<> call_throws(bool child_too) {
  std::array<int, 2> a{};
  int caught = -1;
  try {
    co_await fork(&a[0], child, 0);
    if (child_too) co_await fork(throws, 20);
    co_await fork(&a[1], child, 1);
    co_await call(throws, 30);
    check(false);
  } catch (int e) {
    caught = e;
  }
  check(caught == (child_too ? 20 : 30) && a[0] == 1 && a[1] == 2 && none_on_its_way());
  co_await fork(&a[0], child, 5);
  co_await join();
  check(a[0] == 6);
}

task<std::uint64_t> fib_or_throw(unsigned n, unsigned bad) {
  if (n == bad) co_await call(throws, static_cast<int>(n));
  if (n < 2) co_return 1;
  std::uint64_t a, b;
  co_await fork(&a, fib_or_throw, n - 1, bad);
  co_await call(&b, fib_or_throw, n - 2, bad);
  co_await join();
  co_return a + b;
}
template <class T>
int thrown_by(task<T> t) {
  int caught = -1;
  try {
    static_cast<void>(nopal::wait(std::move(t)));
  } catch (int e) {
    caught = e;
  }
  check(none_on_its_way());
  return caught;
}

task<> throws_after_child() {
  co_await fork(throws, 1);
  co_await fork(nothing);
  preempt();
  throw 2;
}

/// Joins in place, by its end or in a scope that it leaves, which itself throws nothing: what a
/// child threw stays.
task<int> ends_without_join() {
  co_await fork(throws, 6);
  co_return 5;
}
task<> throws_within_scope() {
  eventual<tracked> made;
  co_await fork(&made, make_tracked, 1);
  co_await fork(throws, 1);
  preempt();
  throw 2;
}
task<> joins_in_place() {
  int caught = -1, result = 0;
  try {
    co_await call(&result, ends_without_join);
  } catch (int e) {
    caught = e;
  }
  check(caught == 6);
  try {
    co_await call(throws_within_scope);
  } catch (int e) {
    caught = e;
  }
  check(caught == 1);
  try {
    eventual<tracked> made;
    co_await fork(&made, make_tracked, 1);
    co_await fork(throws, 3);
    preempt();
    throw 2;
  } catch (int e) {
    caught = e;
  }
  check(caught == 2);
  co_await fork(throws, 4);
  try {
    co_await join();
    check(false);
  } catch (int e) {
    caught = e;
  }
  check(caught == 3 && none_on_its_way());
}

// --- every front end within every other ------------------------------------------------------

std::uint64_t fib_of_all(unsigned n);

task<std::uint64_t> fib_over_closures(unsigned n) {
  if (n < 2) co_return n;
  std::uint64_t a, b = 0, c = 0;
  co_await fork(&a, fib_over_closures, n - 1);
  if (n > 3)
    nopal::parallel_invoke([&] { b = fib_of_all(n - 3); }, [&] { c = nopal::wait(fib(n - 4)); });
  else
    b = fib_of_all(n - 2);
  co_await join();
  co_return a + b + c;
}
NOPAL_FORKS std::uint64_t fib_by_frame(unsigned n) {
  nopal::fork_frame frame;
  std::uint64_t a;
  frame.fork(&a, fib_of_all, n - 1);
  const std::uint64_t b = nopal::wait(fib_over_closures(n - 2));
  frame.join();
  return a + b;
}
std::uint64_t fib_of_all(unsigned n) { return n < 2 ? n : fib_by_frame(n); }

/// Forks by plain code before it makes its task, where that is to lie.
task<std::uint64_t> through_closures(unsigned n) {
  std::uint64_t a = 0, b = 0;
  nopal::parallel_invoke([&] { a = nopal::wait(fib(n)); }, [&] { b = nopal::wait(fib(n)); });
  check(a == b);
  return fib(n);
}
NOPAL_FORKS void two_by_frame(unsigned n) {
  nopal::fork_frame frame;
  std::uint64_t a, b;
  frame.fork(&a, fib_of_all, n);
  frame.fork(&b, [n] { return nopal::wait(fib(n)); });
  frame.join();
  check(a == b);
}
task<std::uint64_t> through_frame(unsigned n) {
  two_by_frame(n);
  return fib(n);
}
task<> through_plain_code() {
  std::array<std::uint64_t, 4> a{};
  for (unsigned i = 0; i < 4; ++i) {
    if (i % 2 == 0)
      co_await fork(&a[i], through_closures, i + 2);
    else
      co_await fork(&a[i], through_frame, i + 2);
  }
  co_await join();
  check(a[0] == 1 && a[1] == 2 && a[2] == 3 && a[3] == 5);
}

/// Waits before it makes its task, where that is to lie, for one that makes tasks itself.
task<int> awaits(int n) { co_return co_await child(n); }
task<int> through_wait(task<int>& t) {
  const int n = nopal::wait(std::move(t));
  return child(n);
}
task<> through_waits() {
  std::array<int, 3> a{};
  std::vector<task<int>> made;
  for (int i = 0; i < 3; ++i) made.push_back(awaits(i));
  for (unsigned i = 0; i < 3; ++i) co_await fork(&a[i], through_wait, made[i]);
  co_await join();
  check(a[0] == 2 && a[1] == 3 && a[2] == 4);
}

/// Waits within a task that others wait for in turn.
task<int> waits(int n) {
  int a = 0, b = 0;
  co_await fork(&a, child, n);
  if (n != 0) b = nopal::wait(waits(n - 1));
  preempt();
  co_await join();
  co_return a + b;
}
task<> several_wait() {
  std::array<int, 3> a{};
  for (int i = 0; i < 3; ++i) co_await fork(&a[static_cast<std::size_t>(i)], waits, i);
  check(nopal::wait(waits(3)) == 10);
  co_await join();
  check(a[0] == 1 && a[1] == 3 && a[2] == 6);
}

struct waits_when_destroyed {
  int on_their_way;
  ~waits_when_destroyed() {
    check(std::uncaught_exceptions() == on_their_way);
    check(nopal::wait(fib(5)) == 5);
    check(std::uncaught_exceptions() == on_their_way);
  }
};

void waits_in_handler(int deep);

task<> throws_in_pieces(int deep) {
  co_await fork(throws, 1);
  co_await fork(nothing);
  if (deep > 0) waits_in_handler(deep - 1);
  co_await join();
}

/// What is handled stays the same over a wait, and so does what is on its way.
void waits_in_handler(int deep) {
  try {
    throw std::runtime_error(std::to_string(deep));
  } catch (const std::runtime_error& e) {
    for (int round = 0; round < 2; ++round) {
      int caught = 0;
      try {
        const waits_when_destroyed guard{1};
        if (round == 0)
          nopal::wait(throws_in_pieces(deep));
        else
          throw 3;
      } catch (int n) {
        caught = n;
      }
      check(caught == (round == 0 ? 1 : 3));
    }
    try {
      throw;
    } catch (const std::runtime_error& again) {
      check(&again == &e && again.what() == std::to_string(deep));
    }
    check(std::uncaught_exceptions() == 0);
  }
}

task<> in_handler() {
  check(std::current_exception() != nullptr);
  for (int i = 0; i < 2; ++i) {
    co_await fork(nothing);
    check(std::current_exception() != nullptr && std::uncaught_exceptions() == 0);
  }
  co_await join();
  check(std::current_exception() != nullptr);
}
void waits_for_in_handler() {
  try {
    throw 1;
  } catch (int) {
    nopal::wait(in_handler());
  }
  check(none_on_its_way());
}

task<> changes_nothing(int mode) {
  check(std::fegetround() == mode);
  int a = 0;
  co_await fork(&a, child, 1);
  check(std::fegetround() == mode);
  co_await fork(nothing);
  check(std::fegetround() == mode);
  co_await join();
  check(std::fegetround() == mode && a == 2);
}

}  // namespace

NOPAL_PROGRAM(tasks_fib) { check(nopal::wait(fib(opaque(10U))) == 55); }
NOPAL_PROGRAM(tasks_depth) { check(nopal::wait(depth(opaque(60U))) == 60); }
NOPAL_PROGRAM(tasks_rounds) { nopal::wait(rounds()); }
NOPAL_PROGRAM(tasks_end_is_join) { nopal::wait(ends_are_joins()); }
NOPAL_PROGRAM(tasks_frames) { check(nopal::wait(fills_frame<10>(opaque(6U))) == frames(6)); }
NOPAL_PROGRAM(tasks_objects) { nopal::wait(objects()); }
NOPAL_PROGRAM(tasks_made_before) { nopal::wait(made_before()); }
NOPAL_PROGRAM(tasks_leave_scope) { nopal::wait(leaves_scope()); }
NOPAL_PROGRAM(tasks_leave_themselves) { nopal::wait(leaves_itself_called()); }
NOPAL_PROGRAM(tasks_first_exception) {
  for (unsigned which = 0; which < 16; ++which) nopal::wait(first_of(which));
}
NOPAL_PROGRAM(tasks_call_throws) {
  nopal::wait(call_throws(false));
  nopal::wait(call_throws(true));
}
NOPAL_PROGRAM(tasks_join_in_place) { nopal::wait(joins_in_place()); }
NOPAL_PROGRAM(tasks_through_waits) { nopal::wait(through_waits()); }
NOPAL_PROGRAM(tasks_deep_throw) {
  check(thrown_by(fib_or_throw(7, 100)) == -1);
  check(thrown_by(fib_or_throw(8, 3)) == 3);
  check(thrown_by(throws_after_child()) == 1);
}
NOPAL_PROGRAM(tasks_all_front_ends) { check(nopal::wait(fib_over_closures(opaque(8U))) == 21); }
NOPAL_PROGRAM(tasks_through_plain_code) { nopal::wait(through_plain_code()); }
NOPAL_PROGRAM(tasks_wait) { nopal::wait(several_wait()); }
NOPAL_PROGRAM(tasks_wait_in_handler) {
  waits_in_handler(3);
  waits_for_in_handler();
}
NOPAL_PROGRAM(tasks_rounding) {
  const int before = std::fegetround();
  for (const int mode : {FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST}) {
    std::fesetround(mode);
    nopal::wait(changes_nothing(mode));
    check(std::fegetround() == mode);
  }
  std::fesetround(before);
}
