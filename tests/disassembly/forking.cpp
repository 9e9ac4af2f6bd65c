// SPDX-License-Identifier: Apache-2.0
// A program that forks in each way and uses a pool, for check_no_events.py.
#include <cstdint>
#include <optional>

#include "nopal/nopal.hpp"

unsigned by_closures(unsigned n) {
  if (n < 2) return n;
  unsigned a = 0;
  unsigned b = 0;
  nopal::parallel_invoke([&] { a = by_closures(n - 1); }, [&] { b = by_closures(n - 2); });
  return a + b;
}

unsigned by_returning_closures(unsigned n) {
  if (n < 2) return n;
  const auto [a, b] = nopal::parallel_invoke([n] { return by_returning_closures(n - 1); },
                                             [n] { return by_returning_closures(n - 2); });
  return a + b;
}

NOPAL_FORKS unsigned by_frame(unsigned n) {
  if (n < 2) return n;
  unsigned a = 0;
  nopal::fork_frame frame;
  frame.fork(&a, by_frame, n - 1);
  const unsigned b = by_frame(n - 2);
  frame.join();
  return a + b;
}

nopal::task<unsigned> by_tasks(unsigned n) {
  if (n < 2) co_return n;
  unsigned a = 0;
  unsigned b = 0;
  co_await nopal::fork(&a, by_tasks, n - 1);
  co_await nopal::call(&b, by_tasks, n - 2);
  co_await nopal::join();
  co_return a + b;
}

void put(nopal::pool_producer<std::uint64_t>& in, std::uint64_t x) { in.put(x); }

std::optional<std::uint64_t> get(nopal::pool_consumer<std::uint64_t>& out) { return out.get(); }
