// SPDX-License-Identifier: Apache-2.0
// Spawned functions, several in a row on one stack: what one leaves is not for the next to find,
// and each forks, throws, waits and moves to other workers.
#include <array>
#include <cfenv>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <vector>

#include "nopal/nopal.hpp"
#include "program.hpp"
#include "values.hpp"

using namespace nopal_test;

namespace {

unsigned child(unsigned i) { return slowly(i + 1); }

NOPAL_FORKS unsigned sum_by_frame(unsigned n) {
  std::array<unsigned, 4> a;
  nopal::fork_frame frame;
  for (unsigned i = 0; i < a.size(); ++i) frame.fork(&a[i], child, n + i);
  frame.join();
  return a[0] + a[1] + a[2] + a[3];
}

/// Everything that moves with a strand is as at the beginning of a function.
void check_fresh() {
  check(std::current_exception() == nullptr);
  check(std::uncaught_exceptions() == 0);
  check(std::fegetround() == FE_TONEAREST);
}

void forks_and_throws(nopal::task_scope& s) {
  for (unsigned i = 0; i < 12; ++i)
    s.spawn([i, seen = tracked(static_cast<int>(i))] {
      check_fresh();
      std::fesetround(FE_UPWARD);
      try {
        preempt();
        throw std::runtime_error("inner");
      } catch (const std::runtime_error&) {
        check(sum_by_frame(i) == 4 * i + 10);
        check(std::current_exception() != nullptr);
      }
      check(std::fegetround() == FE_UPWARD);
      if (i % 3 == 0) throw i;
    });
}

void spawn_tree(nopal::task_scope& s, unsigned depth, std::atomic<unsigned>& ran) {
  ++ran;
  if (depth == 0) return;
  s.spawn([&, depth] { spawn_tree(s, depth - 1, ran); });
  s.spawn(nopal::near(depth % 2), [&, depth] { spawn_tree(s, depth - 1, ran); });
}

void wait_in_a_row() {
  nopal::task_scope s;
  std::array<nopal::countdown, 4> turn;
  std::vector<unsigned> order;
  for (nopal::countdown& t : turn) t.add();
  for (unsigned i = 0; i < turn.size(); ++i)
    s.spawn([&, i] {
      turn[i].wait();
      order.push_back(i);
      if (i + 1 < turn.size()) turn[i + 1].signal_and_end();
    });
  s.spawn([&] { turn[0].signal(); });
  s.join();
  check(order == std::vector<unsigned>{0, 1, 2, 3});
}

nopal::task<unsigned> twice(nopal::pending<unsigned>& p) { co_return 2 * co_await p; }

}  // namespace

NOPAL_PROGRAM_OF_MANY_STACKS(scope_of_functions_that_fork_and_throw) {
  nopal::task_scope s;
  forks_and_throws(s);
  bool thrown = false;
  try {
    s.join();
  } catch (unsigned i) {
    thrown = i % 3 == 0;
  }
  check(thrown);
  check_fresh();
}

NOPAL_PROGRAM_OF_MANY_STACKS(scope_of_a_tree_with_hints) {
  std::atomic<unsigned> ran{0};
  nopal::task_scope s;
  spawn_tree(s, opaque(5U), ran);
  s.join();
  check(ran == 63);
}

NOPAL_PROGRAM_OF_MANY_STACKS(scopes_that_take_turns) {
  std::atomic<unsigned> ran{0};
  nopal::task_scope a;
  for (unsigned i = 0; i < 6; ++i) {
    nopal::task_scope b;
    for (unsigned k = 0; k < 4; ++k) {
      a.spawn([&] { ran += sum_by_frame(0) == 10 ? 1 : 0; });
      b.spawn([&] { ++ran; });
    }
    b.join();
  }
  a.join();
  check(ran == 48);
}

NOPAL_PROGRAM_OF_MANY_STACKS(scope_of_functions_that_wait) { wait_in_a_row(); }

NOPAL_PROGRAM_OF_MANY_STACKS(scope_of_pending_results) {
  nopal::task_scope s;
  nopal::pending<unsigned> a = s.async(sum_by_frame, 1U), b = s.async(child, 4U);
  check(nopal::wait(twice(b)) == 10);
  check(a.get() == 14);
}
