// SPDX-License-Identifier: Apache-2.0
// Wrong calls of parallel_invoke, which the serial elision refuses as well; see check_calls.py.
#include "nopal/parallel_invoke.hpp"

#include <utility>

struct fixed {
  fixed() = default;
  fixed(fixed&&) = delete;
};

template <class F>
concept can_be_mentioned = requires(F f) { nopal::parallel_invoke(f, f); };
static_assert(can_be_mentioned<fixed>);  // what it says of that, it says where it is called

int main() {
  int n = 0;
  const auto nothing = [] {};
  const auto number = [&] { return n; };
  const auto reference = [&]() -> int& { return n; };
  const auto expiring = [&]() -> int&& { return std::move(n); };
  const auto needs_an_argument = [](int) {};
#if NOPAL_REFUSED == 0
  nopal::parallel_invoke();
  nopal::parallel_invoke(nothing, nothing, nothing);
  const auto [a, b, c] = nopal::parallel_invoke(number, reference, number);
  static_cast<void>(a + b + c);
#elif NOPAL_REFUSED == 1
  // says: nopal::parallel_invoke: either all closures return void, or none does
  nopal::parallel_invoke(nothing, number);
#elif NOPAL_REFUSED == 2
  // says: nopal::parallel_invoke: either all closures return void, or none does
  nopal::parallel_invoke(number, reference, nothing);
#elif NOPAL_REFUSED == 3
  // says: nopal::parallel_invoke: a closure must not return an rvalue reference
  nopal::parallel_invoke(number, expiring);
#elif NOPAL_REFUSED == 4
  // says: nopal::parallel_invoke: a closure must not return an rvalue reference
  nopal::parallel_invoke(expiring);
#elif NOPAL_REFUSED == 5
  // says: nopal::parallel_invoke: each argument must be callable without arguments
  nopal::parallel_invoke(number, needs_an_argument);
#elif NOPAL_REFUSED == 6
  // says: nopal::parallel_invoke: a closure must return something that can be moved
  nopal::parallel_invoke(number, [] { return fixed(); });
#endif
  static_cast<void>(expiring);
  static_cast<void>(needs_an_argument);
}
