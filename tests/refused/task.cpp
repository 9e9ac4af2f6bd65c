// SPDX-License-Identifier: Apache-2.0
// Wrong tasks, and wrong forks and calls of them; see check_calls.py.
#include "nopal/task.hpp"

#include <coroutine>
#include <cstdlib>
#include <functional>
#include <string>
#include <string_view>

#include "nopal/task/all.hpp"
#include "nopal/task/lift.hpp"
#include "nopal/task/start.hpp"

using nopal::call;
using nopal::eventual;
using nopal::fork;
using nopal::join;
using nopal::task;

task<int> length(const std::string& s) { co_return static_cast<int>(s.size()); }
task<std::string> text(int n) { co_return std::string(static_cast<std::size_t>(n), 'x'); }
task<> nothing() { co_return; }
[[maybe_unused]] task<int> plain_task() { co_return 1; }
int plain(int n) { return n; }
struct object {
  task<> act() { co_return; }
};

task<int> length_of_view(std::string_view s) { co_return static_cast<int>(s.size()); }
struct alignas(64) wide {};
#if NOPAL_REFUSED == 15
// says: the result must not be a task
task<task<int>> nested() { co_return plain_task(); }
#elif NOPAL_REFUSED == 16
// says: a parameter must not be over-aligned
task<int> over_aligned(wide) { co_return 1; }
#elif NOPAL_REFUSED == 5
// says: must not have a parameter of type T&&
task<int> by_rvalue(std::string&& s) { co_return static_cast<int>(s.size()); }
#endif

task<> program(int n) {
  int i = 0;
  eventual<std::string> s;
  std::string lasting = "lasting";
  task<> made = nothing();
  object o;
  const auto closure = [&n]() -> task<> {
    ++n;
    co_return;
  };
#if NOPAL_REFUSED == 0
  co_await fork(&i, length, lasting);
  co_await fork(&s, text, n);
  co_await fork(closure);
  co_await fork([](int) -> task<> { co_return; }, 1);
  co_await fork(&object::act, o);
  co_await fork(&object::act, std::ref(o));
  co_await fork(&i, length_of_view, lasting);
  co_await call(length_of_view, std::string("gone after the call"));
  co_await call(length, std::string("gone after the call"));
  co_await call([&n]() -> task<> {
    ++n;
    co_return;
  });
  co_await call(length, "converted");
  co_await std::move(made);
  co_await nothing();
  co_await std::suspend_never();
  co_await nopal::all(nothing(), plain_task());
  co_await fork(&i, nopal::lift, plain, n);
  nopal::start(plain_task(), [](nopal::outcome<int>) {});
#elif NOPAL_REFUSED == 1
  // says: a result with a destructor needs a nopal::eventual
  std::string unsafe;
  co_await fork(&unsafe, text, n);
#elif NOPAL_REFUSED == 2
  // says: a parameter is a reference and its argument a temporary
  co_await fork(&i, length, std::string("gone"));
#elif NOPAL_REFUSED == 3
  // says: the closure is a temporary and holds something
  co_await fork([&n]() -> task<> {
    ++n;
    co_return;
  });
#elif NOPAL_REFUSED == 4
  // says: a task that it may consume
  co_await made;
#elif NOPAL_REFUSED == 6
  // says: the result goes to a variable of the type that the task returns
  co_await fork(&s, length, lasting);
#elif NOPAL_REFUSED == 7
  // says: the function does not return a nopal::task
  co_await fork(&i, plain, n);
#elif NOPAL_REFUSED == 8
  // says: a fork takes place where it is awaited
  fork(closure);
#elif NOPAL_REFUSED == 9
  // says: a task does nothing until it is forked
  nothing();
#elif NOPAL_REFUSED == 10
  // says: a parameter is a reference and its argument a temporary
  co_await fork(&i, length, "converted");
#elif NOPAL_REFUSED == 11
  // says: co_await takes nopal::fork
  co_await std::suspend_always();
#elif NOPAL_REFUSED == 12
  // says: a parameter is a reference and its argument a temporary
  co_await fork(&object::act, object());
#elif NOPAL_REFUSED == 13
  // says: a join takes place where it is awaited
  join();
#elif NOPAL_REFUSED == 14
  // says: a parameter is a reference and its argument a temporary
  co_await fork(&i, length_of_view, std::string("gone"));
#elif NOPAL_REFUSED == 15
  static_cast<void>(nested());
#elif NOPAL_REFUSED == 16
  co_await call(&i, over_aligned, wide());
#elif NOPAL_REFUSED == 17
  // says: unable to find the promise type || function cannot be a coroutine
  std::qsort(&i, 1, sizeof i, [](const void*, const void*) -> int {
    co_await nothing();
    co_return 0;
  });
#elif NOPAL_REFUSED == 18
  // says: nopal::lift: the function returns a nopal::task
  co_await nopal::lift(plain_task);
#elif NOPAL_REFUSED == 19
  // says: on_done is called with a nopal::outcome
  nopal::start(plain_task(), [](int) {});
#elif NOPAL_REFUSED == 20
  // says: the result goes to a variable of the type that the task returns
  nopal::try_eventual<long> e;
  co_await fork(&e, plain_task);
#elif NOPAL_REFUSED == 21
  // says: co_await takes nopal::fork
  struct no_awaiter {
    bool await_ready() { return true; }
    int await_suspend(std::coroutine_handle<>) { return 1; }
    void await_resume() {}
  };
  co_await no_awaiter();
#elif NOPAL_REFUSED == 22
  // says: a task cannot await what is over-aligned
  struct alignas(64) wide_awaiter {
    bool await_ready() { return true; }
    void await_suspend(std::coroutine_handle<>) {}
    void await_resume() {}
  };
  co_await wide_awaiter();
#endif
  static_cast<void>(o);
  co_await join();
}

int main() { nopal::wait(program(1)); }
