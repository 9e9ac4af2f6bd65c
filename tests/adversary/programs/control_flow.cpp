// SPDX-License-Identifier: Apache-2.0
// The ways into and out of a forking function: before the first fork, without a join, by switch and
// goto. Optimizers share and move blocks here; each must still pass the entry of the frame before
// its end, and its end before the return.
#include <array>
#include <optional>

#include "nopal/nopal.hpp"
#include "program.hpp"
#include "values.hpp"

using namespace nopal_test;

namespace {

int child(int n) { return slowly(n + 1); }

// Returns before the frame is made, before its first fork, after forks without a join, and after a
// join.
NOPAL_FORKS int leaves_early(int way, int* a) {
  if (way == 0) return -1;
  nopal::fork_frame frame;
  if (way == 1) return -2;
  frame.fork(&a[0], child, 0);
  if (way == 2) return -3;
  for (int i = 1; i < 5; ++i) {
    frame.fork(&a[i], child, i);
    if (way == 2 + i) return -3 - i;
  }
  frame.join();
  if (way == 7) return -8;
  frame.fork(&a[5], child, 5);
  return -9;
}

void all_early_ways() {
  for (int way = 0; way < 9; ++way) {
    std::array<int, 6> a{};
    check(leaves_early(opaque(way), a.data()) == -1 - way);
    // The end of the frame is a join, so all that was forked has ended.
    const int forked = way < 2 ? 0 : way < 7 ? way - 1 : way == 7 ? 5 : 6;
    for (int i = 0; i < 6; ++i) check(a[static_cast<std::size_t>(i)] == (i < forked ? i + 1 : 0));
  }
}

// The value returned is read after the implicit join only where the language says so: a local
// returned by copy is not.
NOPAL_FORKS std::optional<int> maybe(bool any) {
  int a = 0;
  {
    nopal::fork_frame frame;
    if (!any) return std::nullopt;
    frame.fork(&a, child, 41);
#ifdef NOPAL_CHECK  // which wants a join() for a result that goes to a local variable
    frame.join();
#endif
  }
  return a;
}

enum class command { none, fork_one, fork_two, join, again, leave };

NOPAL_FORKS int interpreted(const command* c, int* a) {
  int forks = 0;
  nopal::fork_frame frame;
  for (;; ++c) {
    switch (*c) {
      case command::none:
        continue;
      case command::fork_two:
        frame.fork(&a[forks], child, forks);
        ++forks;
        [[fallthrough]];
      case command::fork_one:
        frame.fork(&a[forks], child, forks);
        ++forks;
        break;
      case command::join:
        frame.join();
        break;
      case command::again:
        frame.join();
        forks = 0;
        break;
      case command::leave:
        return forks;
    }
  }
}

void by_switch() {
  using enum command;
  static constexpr std::array script{none,  fork_one, fork_two, join,     fork_two, fork_two,
                                     again, fork_one, none,     fork_two, leave};
  std::array<int, 8> a{};
  check(interpreted(script.data(), a.data()) == 3);
  for (int i = 0; i < 7; ++i) check(a[static_cast<std::size_t>(i)] == i + 1);
}

NOPAL_FORKS int by_goto(int n) {
  std::array<int, 20> a{};
  int i = 0;
  int odd = 0;
  nopal::fork_frame frame;
again:
  if (i == n) goto done;
  if ((i & 1) != 0) goto odd_one;
  frame.fork(&a[static_cast<std::size_t>(i)], child, i);
  ++i;
  goto again;
odd_one:
  frame.fork(&a[static_cast<std::size_t>(i)], child, -i);
  ++i;
  ++odd;
  goto again;
done:
  frame.join();
  int sum = 0;
  for (const int v : a) sum += v;
  return 100 * sum + odd;
}

// Backwards over the frame: it ends and begins anew.
NOPAL_FORKS int frame_begun_again() {
  int rounds = 0;
  int sum = 0;
again: {
  int a;
  nopal::fork_frame frame;
  frame.fork(&a, child, rounds);
  if (++rounds % 2 != 0) goto again;
  frame.join();
  sum += a;
}
  if (rounds < 6) goto again;
  return sum;
}

// Short-circuit evaluation, conditional expressions, and calls in the arguments of other calls
// around the forks.
NOPAL_FORKS int in_expressions(int n) {
  int a;
  int b = 0;
  nopal::fork_frame frame;
  const bool both =
      n > 3 && (frame.fork(&a, child, n), true) && (frame.fork(&b, child, n + 1), opaque(true));
  const int c = both ? child(child(n)) : (frame.fork(&a, child, 0), child(child(child(n))));
  frame.join();
  return a + b + c;
}

int recursion_inside(int n);
NOPAL_FORKS int forks_and_calls_itself(int n) {
  if (n <= 0) return 1;
  if (n % 3 == 0) return recursion_inside(n - 1) + 1;
  int a;
  nopal::fork_frame frame;
  frame.fork(&a, forks_and_calls_itself, n - 1);
  const int b = n % 2 == 0 ? forks_and_calls_itself(n - 2) : recursion_inside(n - 3);
  frame.join();
  return a + b;
}
int recursion_inside(int n) {
  return n <= 0 ? 1 : forks_and_calls_itself(n - 1) + recursion_inside(n - 2);
}
int serially(int n);
int serially_inside(int n) { return n <= 0 ? 1 : serially(n - 1) + serially_inside(n - 2); }
int serially(int n) {
  if (n <= 0) return 1;
  if (n % 3 == 0) return serially_inside(n - 1) + 1;
  return serially(n - 1) + (n % 2 == 0 ? serially(n - 2) : serially_inside(n - 3));
}

}  // namespace

NOPAL_PROGRAM(control_flow_early_returns) { all_early_ways(); }
NOPAL_PROGRAM(control_flow_optional) {
  check(!maybe(opaque(false)).has_value());
  check(maybe(opaque(true)) == 42);
}
NOPAL_PROGRAM(control_flow_switch) { by_switch(); }
NOPAL_PROGRAM(control_flow_goto) {
  check(by_goto(opaque(10)) == 100 * (1 + 3 + 5 + 7 + 9 + 0 - 2 - 4 - 6 - 8) + 5);
}
NOPAL_PROGRAM(control_flow_frame_begun_again) { check(frame_begun_again() == 2 + 4 + 6); }
NOPAL_PROGRAM(control_flow_expressions) {
  check(in_expressions(opaque(5)) == 6 + 7 + 7);
  check(in_expressions(opaque(2)) == 1 + 0 + 5);
}
NOPAL_PROGRAM(control_flow_recursion) { check(forks_and_calls_itself(opaque(10)) == serially(10)); }
