// SPDX-License-Identifier: Apache-2.0
// Wrong calls of parallel_invoke and fork_frame; see check_calls.py.
#include <memory>
#include <string>

#include "nopal/nopal.hpp"

int overloaded(int n) { return n; }
double overloaded(double x) { return x; }
void change(int& n) { ++n; }
nopal::task<std::string> text() { co_return "text"; }
int twice(int n) { return 2 * n; }

NOPAL_FORKS int main() {
  int n = 0;
  [[maybe_unused]] const auto number = [&] { return n; };
  [[maybe_unused]] const auto nothing = [] {};
#if NOPAL_REFUSED == 0
  nopal::parallel_invoke(nothing, nothing);
  nopal::fork_frame frame;
  frame.fork(&n, twice, 1);
  frame.fork(change, std::ref(n));
  frame.join();
#elif NOPAL_REFUSED == 1
  // says: each argument must be callable without arguments
  nopal::parallel_invoke(twice(1), twice(2));
#elif NOPAL_REFUSED == 2
  // says: each argument must be callable without arguments
  nopal::parallel_invoke(number, twice(2), number);
#elif NOPAL_REFUSED == 3
  // says: each argument must be callable without arguments
  nopal::parallel_invoke(twice, twice);
#elif NOPAL_REFUSED == 4
  // says: a task is given where a closure is meant
  nopal::parallel_invoke(text(), text());
#elif NOPAL_REFUSED == 5
  // says: overloaded function with no contextual type information || one_function_comes_first
  nopal::parallel_invoke(overloaded, nothing);
#elif NOPAL_REFUSED == 6
  // says: either all closures return void, or none does
  nopal::parallel_invoke(nothing, text);
#elif NOPAL_REFUSED == 7
  // says: overloaded function with no contextual type information || one_function_comes_first
  nopal::fork_frame frame;
  frame.fork(&n, overloaded, 1);
#elif NOPAL_REFUSED == 8
  // says: hand over a variable itself by std::ref
  nopal::fork_frame frame;
  frame.fork(change, n);
#elif NOPAL_REFUSED == 9
  // says: this function cannot be called with these arguments, moved
  nopal::fork_frame frame;
  std::string s;
  frame.fork(&s, twice, 1.0, 2);
#elif NOPAL_REFUSED == 10
  // says: the result cannot be assigned to where the pointer points
  nopal::fork_frame frame;
  std::unique_ptr<int> p;
  frame.fork(&p, twice, 1);
#elif NOPAL_REFUSED == 11
  // says: this function cannot be called with these arguments, moved
  nopal::fork_frame frame;
  frame.fork(n, twice, 1);
#elif NOPAL_REFUSED == 12
  // says: this function cannot be called with these arguments, moved
  nopal::fork_frame frame;
  frame.fork(twice(1));
#elif NOPAL_REFUSED == 13
  // says: cannot be copied, and the child has its own
  nopal::fork_frame frame;
  std::unique_ptr<int> p;
  frame.fork([](std::unique_ptr<int>) {}, p);
#elif NOPAL_REFUSED == 14
  // says: the result cannot be assigned to where the pointer points
  nopal::fork_frame frame;
  frame.fork(&n, change, std::ref(n));
#elif NOPAL_REFUSED == 15
  // says: deleted
  nopal::fork_frame frame;
  nopal::fork_frame other = frame;
#endif
}
