// SPDX-License-Identifier: Apache-2.0
// Programs that must not compile, one for each value of NOPAL_REFUSED; with 0 this file is right,
// and compiles.
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
  nopal::parallel_invoke(nothing, number);
#elif NOPAL_REFUSED == 2
  nopal::parallel_invoke(number, reference, nothing);
#elif NOPAL_REFUSED == 3
  nopal::parallel_invoke(number, expiring);
#elif NOPAL_REFUSED == 4
  nopal::parallel_invoke(expiring);
#elif NOPAL_REFUSED == 5
  nopal::parallel_invoke(number, needs_an_argument);
#elif NOPAL_REFUSED == 6
  nopal::parallel_invoke(number, [] { return fixed(); });
#endif
  static_cast<void>(expiring);
  static_cast<void>(needs_an_argument);
}
