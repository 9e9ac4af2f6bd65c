// SPDX-License-Identifier: Apache-2.0
// Exceptions from children and continuations, stolen or not, and forks within handlers and during
// unwinding.
#include <array>
#include <exception>
#include <stdexcept>
#include <string>
#include <tuple>

#include "nopal/nopal.hpp"
#include "program.hpp"
#include "values.hpp"

using namespace nopal_test;

namespace {

int child(int n) { return slowly(n + 1); }
[[noreturn]] void throws(int n) {
  preempt();
  const tracked destroyed_by_unwinding(n);
  throw n;
}
int throws_if(bool really, int n) {
  if (really) throws(n);
  return child(n);
}

bool none_on_its_way() {
  return std::uncaught_exceptions() == 0 && std::current_exception() == nullptr;
}

// --- parallel_invoke: exactly what the serial program does -----------------------------------

void closures_throw() {
  for (unsigned which = 0; which < 8; ++which) {
    std::array<int, 3> done{};
    int caught = -1;
    const tracked outer(7);
    try {
      const tracked inner(8);
      nopal::parallel_invoke([&] { done[0] = throws_if((which & 1) != 0, 0); },
                             [&] { done[1] = throws_if((which & 2) != 0, 1); },
                             [&] { done[2] = throws_if((which & 4) != 0, 2); });
      check(which == 0);
    } catch (int e) {
      caught = e;
    }
    check(caught == ((which & 1) != 0 ? 0 : (which & 2) != 0 ? 1 : (which & 4) != 0 ? 2 : -1));
    for (unsigned i = 0; i < 3; ++i) {
      const bool threw = (which >> i & 1) != 0;
      check(threw ? done[i] == 0 : done[i] == 0 || done[i] == static_cast<int>(i) + 1);
      if (caught < 0 || static_cast<int>(i) < caught) check(done[i] == static_cast<int>(i) + 1);
    }
    check(none_on_its_way());
    check(outer.value() == 7);
  }
}

tracked tracked_or_throw(bool really, int n) { return tracked(throws_if(really, n)); }

// Each result that was made is destroyed once: they are counted after the program.
template <class... Closure>
void results_or_throw(int first_that_throws, const Closure&... closures) {
  int caught = -1;
  try {
    const auto all = nopal::parallel_invoke(closures...);
    std::apply(
        [](const auto&... result) {
          int n = 0;
          (check(result.value() == ++n), ...);
        },
        all);
    check(first_that_throws == -1);
  } catch (int e) {
    caught = e;
  }
  check(caught == first_that_throws);
  check(none_on_its_way());
}

void results_while_closures_throw() {
  for (unsigned which = 0; which < 8; ++which) {
    const auto a = [=] { return tracked_or_throw((which & 1) != 0, 0); };
    const auto b = [=] { return tracked_or_throw((which & 2) != 0, 1); };
    const auto c = [=] { return tracked_or_throw((which & 4) != 0, 2); };
    const int first = (which & 1) != 0 ? 0 : (which & 2) != 0 ? 1 : (which & 4) != 0 ? 2 : -1;
    if (which < 4) results_or_throw(first, a, b);
    results_or_throw(first, a, b, c);
  }
}

int sum_or_throw(unsigned n, unsigned bad) {
  if (n == bad) throws(static_cast<int>(n));
  if (n < 2) return 1;
  int a = 0;
  int b = 0;
  nopal::parallel_invoke([&] { a = sum_or_throw(n - 1, bad); },
                         [&] { b = sum_or_throw(n - 2, bad); });
  return a + b;
}

void deep_throw() {
  check(sum_or_throw(opaque(8U), 100) == 34);
  try {
    sum_or_throw(opaque(9U), 3);
    check(false);
  } catch (int e) {
    check(e == 3);
  }
  check(none_on_its_way());
}

// --- fork_frame ------------------------------------------------------------------------------

// One child throws: whatever was stolen, its exception comes out, of fork() or of join(), and what
// was forked has ended.
NOPAL_FORKS void one_of_many(int bad) {
  std::array<int, 6> a{};
  int forked = 0;
  int caught = -1;
  try {
    const tracked inner(1);
    nopal::fork_frame frame;
    for (; forked < 6; ++forked)
      frame.fork(&a[static_cast<std::size_t>(forked)], throws_if, forked == bad, forked);
    frame.join();
    check(false);
  } catch (int e) {
    caught = e;
  }
  check(caught == bad);
  check(forked == bad || forked == 6);
  for (int i = 0; i < forked; ++i) check(a[static_cast<std::size_t>(i)] == (i == bad ? 0 : i + 1));
  check(none_on_its_way());
}

// Several throw. Whether it comes out of join() or of fork(), it is the serially first.
NOPAL_FORKS void several() {
  int caught = -1;
  try {
    nopal::fork_frame frame;
    for (int forked = 0; forked < 8; ++forked) {
      if (forked < 2)
        frame.fork(child, forked);
      else
        frame.fork(throws, forked);
    }
    frame.join();
    check(false);
  } catch (int e) {
    caught = e;
  }
  check(caught == 2);  // out of join() or of fork()
  check(none_on_its_way());
}

// The frame ends without join(): its end throws what join() would have.
NOPAL_FORKS int without_join() {
  const tracked outer(1);
  nopal::fork_frame frame;
  frame.fork(child, 1);
  frame.fork(throws, 17);
  return 3;
}
NOPAL_FORKS void without_join_called() {
  try {
    without_join();
    check(false);
  } catch (int e) {
    check(e == 17);
  }
  check(none_on_its_way());
}

// The continuation throws on a thief's stack: the children must have ended before the function is
// unwound.
NOPAL_FORKS int continuation_throws(int* a, bool children_too) {
  const tracked outer(1);
  nopal::fork_frame frame;
  const tracked inner(2);
  for (int i = 0; i < 4; ++i) frame.fork(&a[i], child, i);
  if (children_too) frame.fork([] { preempt(); });
  preempt();
  throw std::string("of the continuation, and too long to lie within the object");
}
NOPAL_FORKS void continuation_throws_called() {
  for (int round = 0; round < 3; ++round) {
    std::array<int, 4> a{};
    try {
      const tracked here(3);
      continuation_throws(a.data(), round == 1);
      check(false);
    } catch (const std::string& e) {
      check(e.starts_with("of the continuation"));
      for (int i = 0; i < 4; ++i) check(a[static_cast<std::size_t>(i)] == i + 1);
    }
    check(none_on_its_way());
  }
}

// The same, caught in the function itself: its frame goes on to be used.
NOPAL_FORKS void continuation_catches() {
  std::array<int, 12> a{};
  nopal::fork_frame frame;
  for (int i = 0; i < 12; i += 2) {
    frame.fork(&a[static_cast<std::size_t>(i)], child, i);
    try {
      const tracked here(i);
      if (i % 4 == 0) throws(i);
      check(i % 4 == 2);
    } catch (int e) {
      check(e == i);
    }
    frame.fork(&a[static_cast<std::size_t>(i + 1)], child, i + 1);
  }
  frame.join();
  for (int i = 0; i < 12; ++i) check(a[static_cast<std::size_t>(i)] == i + 1);
  check(none_on_its_way());
}

// After a join that threw, and after a fork that did, the frame is as new.
NOPAL_FORKS void frame_used_after_exception() {
  std::array<int, 4> a{};
  nopal::fork_frame frame;
  for (int i = 0; i < 4; ++i) {
    try {
      frame.fork(throws, i);
      frame.join();
      check(false);
    } catch (int e) {
      check(e == i);
    }
    frame.fork(&a[static_cast<std::size_t>(i)], child, i);
  }
  frame.join();
  for (int i = 0; i < 4; ++i) check(a[static_cast<std::size_t>(i)] == i + 1);
}

// --- within a handler ------------------------------------------------------------------------

int what_is_current() {
  preempt();
  try {
    throw;
  } catch (const std::runtime_error& e) {
    return slowly(static_cast<int>(std::string(e.what()).size()));
  }
}

NOPAL_FORKS void in_handler() {
  int caught = 0;
  try {
    try {
      throw std::runtime_error("first");
    } catch (const std::runtime_error& e) {
      std::array<int, 5> a;
      nopal::fork_frame frame;
      for (int i = 0; i < 5; ++i) {
        frame.fork(&a[static_cast<std::size_t>(i)], child, i);
        check(std::current_exception() != nullptr);
        try {
          throws(i);
        } catch (int inner) {
          check(inner == i);
        }
      }
      frame.join();
      check(std::string(e.what()) == "first");
      check(std::current_exception() != nullptr && std::uncaught_exceptions() == 0);
      for (int i = 0; i < 5; ++i) check(a[static_cast<std::size_t>(i)] == i + 1);
      throw;
    }
  } catch (const std::runtime_error& e) {
    caught = 1;
    check(std::string(e.what()) == "first");
  }
  check(caught == 1);
  check(none_on_its_way());
}

// The frame ends because of the `throw;`.
NOPAL_FORKS void rethrown_from_handler() {
  int a = 0;
  try {
    try {
      throw std::runtime_error("first");
    } catch (...) {
      nopal::fork_frame frame;
      frame.fork(&a, child, 1);
      throw;
    }
  } catch (const std::runtime_error& e) {
    check(std::string(e.what()) == "first");
    check(a == 2);
  }
  check(none_on_its_way());
}

// A child rethrows what the forking function's handler handles.
NOPAL_FORKS void seen_by_child() {
  try {
    throw std::runtime_error("seen");
  } catch (...) {
    int a;
    nopal::fork_frame frame;
    frame.fork(&a, what_is_current);
    preempt();
    frame.join();
    check(a == 4);
    int b = 0;
    int c = 0;
    nopal::parallel_invoke([&] { b = child(1); }, [&] { c = what_is_current(); });
    check(b == 2 && c == 4);
    const auto [d, e] =
        nopal::parallel_invoke([] { return child(1); }, [] { return what_is_current(); });
    check(d == 2 && e == 4);
  }
  check(none_on_its_way());
}

void closures_in_handler() {
  try {
    throw std::runtime_error("outer");
  } catch (const std::runtime_error& e) {
    int caught = 0;
    try {
      nopal::parallel_invoke([&] { throws_if(false, 1); },
                             [&] {
                               try {
                                 throws(2);
                               } catch (int n) {
                                 throw n + 1;
                               }
                             });
    } catch (int n) {
      caught = n;
    }
    check(caught == 3);
    check(std::string(e.what()) == "outer");
    check(std::current_exception() != nullptr);
  }
  check(none_on_its_way());
}

// --- during unwinding ------------------------------------------------------------------------

struct forks_when_destroyed {
  int on_their_way;
  bool closures;
  ~forks_when_destroyed() { closures ? by_closures() : by_frame(); }
  NOPAL_FORKS void by_frame() const {
    std::array<int, 4> a;
    nopal::fork_frame frame;
    for (int i = 0; i < 4; ++i) {
      frame.fork(&a[static_cast<std::size_t>(i)], [this, i] {
        check(std::uncaught_exceptions() == on_their_way);
        return child(i);
      });
      check(std::uncaught_exceptions() == on_their_way);
      if (i == 2) frame.join();
    }
  }
  void by_closures() const {
    const auto both = [this] {
      check(std::uncaught_exceptions() == on_their_way);
      preempt();
      try {
        throws(1);
      } catch (int) {
        check(std::uncaught_exceptions() == on_their_way);
      }
    };
    nopal::parallel_invoke(both, both);
    check(std::uncaught_exceptions() == on_their_way);
  }
};

NOPAL_FORKS void unwound(bool closures) {
  int a = 0;
  try {
    nopal::fork_frame frame;
    const forks_when_destroyed guard{1, closures};
    frame.fork(&a, child, 1);
    throws(5);
  } catch (int e) {
    check(e == 5 && a == 2);
  }
  check(none_on_its_way());
  {
    const forks_when_destroyed guard{0, closures};
  }
}

// Copying an argument throws, before the fork has begun.
struct throws_when_copied {
  throws_when_copied() = default;
  throws_when_copied(const throws_when_copied&) { throw std::runtime_error("copied"); }
  int operator()() const { return 1; }
};
NOPAL_FORKS void argument_throws() {
  const throws_when_copied f;
  int a = 0;
  int caught = 0;
  nopal::fork_frame frame;
  frame.fork(&a, child, 1);
  try {
    frame.fork(f);
  } catch (const std::runtime_error&) {
    ++caught;
  }
  frame.fork(child, 2);
  frame.join();
  check(caught == 1 && a == 2);
}

}  // namespace

NOPAL_PROGRAM(exceptions_closures) { closures_throw(); }
NOPAL_PROGRAM(exceptions_results) { results_while_closures_throw(); }
NOPAL_PROGRAM(exceptions_deep) { deep_throw(); }
NOPAL_PROGRAM(exceptions_one_of_many) {
  for (int bad = 0; bad < 6; ++bad) one_of_many(opaque(bad));
}
NOPAL_PROGRAM(exceptions_several) { several(); }
NOPAL_PROGRAM(exceptions_without_join) { without_join_called(); }
NOPAL_PROGRAM(exceptions_continuation) { continuation_throws_called(); }
NOPAL_PROGRAM(exceptions_continuation_catches) { continuation_catches(); }
NOPAL_PROGRAM(exceptions_frame_used_after) { frame_used_after_exception(); }
NOPAL_PROGRAM(exceptions_in_handler) { in_handler(); }
NOPAL_PROGRAM(exceptions_rethrown_from_handler) { rethrown_from_handler(); }
NOPAL_PROGRAM(exceptions_seen_by_child) { seen_by_child(); }
NOPAL_PROGRAM(exceptions_closures_in_handler) { closures_in_handler(); }
NOPAL_PROGRAM(exceptions_unwound_frames) { unwound(false); }
NOPAL_PROGRAM(exceptions_unwound_closures) { unwound(true); }
NOPAL_PROGRAM(exceptions_argument_throws) { argument_throws(); }
