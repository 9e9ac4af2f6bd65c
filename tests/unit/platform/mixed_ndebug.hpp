// SPDX-License-Identifier: Apache-2.0
// Uses of nopal that instantiate the same templates in each translation unit.
#pragma once

#include <optional>

#include "nopal/nopal.hpp"

namespace nopal_test {

inline void fib_by_closures(long* result, long n) {
  *result = n;
  if (n < 2) return;
  long a = 0;
  long b = 0;
  nopal::parallel_invoke([&] { fib_by_closures(&a, n - 1); }, [&] { fib_by_closures(&b, n - 2); });
  *result = a + b;
}

NOPAL_FORKS inline long fib_by_frames(long n) {
  if (n < 2) return n;
  nopal::fork_frame frame;
  long a = 0;
  frame.fork(&a, fib_by_frames, n - 1);
  const long b = fib_by_frames(n - 2);
  frame.join();
  return a + b;
}

inline nopal::task<long> fib_by_tasks(long n) {
  if (n < 2) co_return n;
  long a = 0;
  long b = 0;
  co_await nopal::fork(&a, fib_by_tasks, n - 1);
  co_await nopal::call(&b, fib_by_tasks, n - 2);
  co_await nopal::join();
  co_return a + b;
}

inline bool uses_nopal() {
  constexpr long n = 15;
  constexpr long fib_of_n = 610;
  long closures = 0;
  nopal::run([&] { fib_by_closures(&closures, n); });
  nopal::pool<long> pool;
  auto in = pool.producer();
  auto out = pool.consumer();
  for (long i = 0; i < 1000; ++i) in.put(i);
  long sum = 0;
  while (const std::optional<long> x = out.get()) sum += *x;
  return closures == fib_of_n && nopal::run(fib_by_frames, n) == fib_of_n &&
         nopal::run(fib_by_tasks, n) == fib_of_n && sum == 499500;
}

}  // namespace nopal_test
