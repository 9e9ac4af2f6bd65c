// SPDX-License-Identifier: Apache-2.0
// Scopes of a stop: whatever is forked in one is in it, on any worker and after any join or wait,
// and a stop ends the waits there and no others.
#include <atomic>
#include <stdexcept>
#include <stop_token>
#include <utility>

#include "nopal/nopal.hpp"
#include "program.hpp"
#include "values.hpp"

using namespace nopal_test;

namespace {

void check_in(const std::stop_token& scope) { check(nopal::current_stop_token() == scope); }

/// Calls f(t) in a scope of its own, where t is its token.
template <class F>
void in_own_scope(F f) {
  const std::stop_token outer = nopal::current_stop_token();
  const std::stop_source source;
  nopal::with_stop(source.get_token(), [&] { f(nopal::current_stop_token()); });
  check_in(outer);
}

// Trees whose every other branch is in a scope of its own.

void grow(unsigned depth, const std::stop_token& scope);
NOPAL_FORKS void grow_in_frame(unsigned depth, const std::stop_token& scope);
nopal::task<> grow_in_task(unsigned depth, const std::stop_token& scope);

void grow_somehow(unsigned depth, const std::stop_token& scope) {
  switch (depth % 3) {
    case 0:
      grow(depth, scope);
      break;
    case 1:
      grow_in_frame(depth, scope);
      break;
    default:
      nopal::wait(grow_in_task(depth, scope));
  }
  check_in(scope);
}
void grow_in_own_scope(unsigned depth) {
  in_own_scope([&](const std::stop_token& inner) { grow_somehow(depth, inner); });
}

void grow(unsigned depth, const std::stop_token& scope) {
  check_in(scope);
  if (depth == 0) return;
  nopal::parallel_invoke([&] { grow_somehow(depth - 1, scope); },
                         [&] {
                           check_in(scope);
                           grow_in_own_scope(depth - 1);
                         });
  check_in(scope);
}

NOPAL_FORKS void grow_in_frame(unsigned depth, const std::stop_token& scope) {
  if (depth == 0) return;
  nopal::fork_frame frame;
  frame.fork(grow_somehow, depth - 1, scope);
  check_in(scope);
  frame.fork(grow_in_own_scope, depth - 1);
  check_in(scope);
  frame.join();
  check_in(scope);
}

nopal::task<> grow_in_task(unsigned depth, const std::stop_token& scope) {
  check_in(scope);
  if (depth == 0) co_return;
  co_await nopal::fork(grow_in_task, depth - 1, scope);
  check_in(scope);
  nopal::eventual<void> e;
  co_await nopal::fork(&e, nopal::lift, grow_in_own_scope, depth - 1);
  check_in(scope);
  co_await nopal::join();
  check_in(scope);
}

/// Returns whether f() ends by a stop.
template <class F>
bool is_stopped(F f) {
  try {
    f();
  } catch (const nopal::stopped&) {
    return true;
  }
  return false;
}

nopal::task<> waits_in_task(nopal::semaphore& s) { co_await s.acquire(); }

}  // namespace

NOPAL_PROGRAM_OF_MANY_STACKS(stops_of_trees) {
  in_own_scope([](const std::stop_token& t) { grow_somehow(opaque(5U), t); });
  grow_somehow(opaque(4U), {});
}

NOPAL_PROGRAM_OF_MANY_STACKS(stops_end_waits) {
  std::stop_source source;
  nopal::flag never;
  nopal::semaphore none(0);
  nopal::channel<tracked> empty(0);
  unsigned ended = 0;
  nopal::with_stop(source.get_token(), [&] {
    nopal::task_scope s;
    std::atomic<unsigned> ended_here{0};
    s.spawn([&] { ended_here += is_stopped([&] { never.wait(); }); });
    s.spawn([&] { ended_here += is_stopped([&] { none.acquire(); }); });
    s.spawn([&] { ended_here += is_stopped([&] { nopal::wait(waits_in_task(none)); }); });
    s.spawn([&] { ended_here += is_stopped([&] { empty.send(tracked(3)); }); });
    s.spawn([&] {
      preempt();
      source.request_stop();
    });
    s.join();  // no stop ends it
    ended = ended_here;
  });
  check(ended == 4);
  none.release();
  check(none.try_acquire());  // nobody has been left behind in its queue
}

NOPAL_PROGRAM_OF_MANY_STACKS(stops_are_for_their_scope) {
  std::stop_source inner;
  nopal::flag goes_on;
  bool waited = false;
  std::atomic<bool> stopped{false};
  nopal::parallel_invoke(
      [&] {
        nopal::with_stop(inner.get_token(), [&] {
          stopped = is_stopped([&] { goes_on.wait(); });
          nopal::without_stop([&] { goes_on.set(); });
        });
      },
      [&] {
        nopal::parallel_invoke([&] { waited = !is_stopped([&] { goes_on.wait(); }); },
                               [&] {
                                 preempt();
                                 const undisturbed u;  // the scope ends on another worker
                                 inner.request_stop();
                               });
      });
  check(waited && stopped);
}

NOPAL_PROGRAM_OF_MANY_STACKS(stops_of_all_but_the_first) {
  nopal::flag never;
  nopal::semaphore none(0);
  const int first = nopal::first_of(
      [&] {
        never.wait();
        return 1;
      },
      [] { return slowly(2); },
      [&] {
        nopal::wait(waits_in_task(none));
        return 3;
      });
  check(first == 2);
  bool caught = false;
  try {
    nopal::any_error_stops([&] { never.wait(); },
                           [] {
                             preempt();
                             throw std::runtime_error("the first");
                           });
  } catch (const std::runtime_error&) {
    caught = true;
  }
  check(caught);
}
