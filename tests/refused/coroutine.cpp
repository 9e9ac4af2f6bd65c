// SPDX-License-Identifier: Apache-2.0
// Wrong coroutines, and wrong calls of what they await; see check_calls.py.
#include <memory>
#include <string>

#include "nopal/nopal.hpp"

using nopal::call;
using nopal::fork;
using nopal::join;
using nopal::task;

task<int> overloaded(int n) { co_return n; }
task<double> overloaded(double x) { co_return x; }
task<int> number(int n) { co_return n; }
task<int&> reference(int& n) { co_return n; }
task<std::string> text() { co_return "text"; }
int plain(int n) { return n; }

#if NOPAL_REFUSED == 0
task<int> wrong() { co_return 1; }
#elif NOPAL_REFUSED == 1
// says: cannot be made from what co_return gives
task<int> wrong() { co_return std::string("1"); }
#elif NOPAL_REFUSED == 2
// says: cannot be made from what co_return gives
task<std::string> wrong() { co_return 1; }
#elif NOPAL_REFUSED == 3
// says: return_value
task<> wrong() { co_return 1; }
#elif NOPAL_REFUSED == 4
// says: return_void
task<int> wrong() { co_return; }
#elif NOPAL_REFUSED == 5
// says: cannot be made from what co_return gives
task<int&> wrong() { co_return 1; }
#elif NOPAL_REFUSED == 6
// says: cannot be made from what co_return gives
task<std::unique_ptr<int>> wrong() {
  static std::unique_ptr<int> kept;
  co_return kept;
}
#elif NOPAL_REFUSED == 7
// says: yield_value
task<int> wrong() { co_yield 1; }
#endif

task<> program(int n) {
  int i = 0;
  [[maybe_unused]] long wide = 0;
  [[maybe_unused]] const auto closure = [] { return 1; };
#if NOPAL_REFUSED == 8
  // says: overloaded function with no contextual type information || one_function_comes_first
  co_await fork(&i, overloaded, n);
#elif NOPAL_REFUSED == 9
  // says: overloaded function with no contextual type information || one_function_comes_first
  co_await call(&i, overloaded, n);
#elif NOPAL_REFUSED == 10
  // says: the function does not return a nopal::task
  co_await fork(&i, plain, n);
#elif NOPAL_REFUSED == 11
  // says: the result goes to a variable of the type that the task returns
  co_await fork(&wide, number, n);
#elif NOPAL_REFUSED == 12
  // says: this function cannot be called with these arguments
  co_await fork(&i, number);
#elif NOPAL_REFUSED == 13
  // says: this function cannot be called with these arguments
  co_await fork(i, number, n);
#elif NOPAL_REFUSED == 14
  // says: fork(f, x) and not fork(f(x))
  co_await fork(number(n));
#elif NOPAL_REFUSED == 15
  // says: the function does not return a nopal::task
  co_await fork(closure);
#elif NOPAL_REFUSED == 16
  // says: the function does not return a nopal::task
  co_await call(closure);
#elif NOPAL_REFUSED == 17
  // says: co_await takes nopal::fork
  co_await number;
#elif NOPAL_REFUSED == 18
  // says: const char
  co_await nopal::allocate<int>("3");
#elif NOPAL_REFUSED == 19
  // says: nopal::near
  co_await nopal::resume_on(nopal::near(0));
#elif NOPAL_REFUSED == 20
  // says: the result goes to a variable of the type that the task returns
  co_await fork(&i, reference, n);
#elif NOPAL_REFUSED == 21
  // says: the result goes to a variable of the type that the task returns
  const int fixed = 0;
  co_await fork(&fixed, number, n);
#elif NOPAL_REFUSED == 22
  // says: the result goes to a variable of the type that the task returns
  nopal::eventual<int> e;
  co_await fork(&e, text);
#elif NOPAL_REFUSED == 23
  // says: the result goes to a variable of the type that the task returns
  co_await call(&wide, number, n);
#elif NOPAL_REFUSED == 24
  // says: this function cannot be called with these arguments
  co_await call(number, std::string());
#elif NOPAL_REFUSED == 25
  // says: co_await takes nopal::fork
  co_await 1;
#elif NOPAL_REFUSED == 26
  // says: this function cannot be called with these arguments
  co_await fork(&i, [](int& k) -> task<int> { co_return k; }, 1);
#endif
  static_cast<void>(i);
  static_cast<void>(n);
  co_await join();
}

int main() { nopal::wait(program(1)); }
