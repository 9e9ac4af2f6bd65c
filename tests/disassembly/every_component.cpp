// SPDX-License-Identifier: Apache-2.0
// A use of each component whose headers a program instantiates.
#include <array>
#include <functional>
#include <numeric>
#include <optional>
#include <ranges>
#include <vector>

#include "nopal/nopal.hpp"

void fib_by_closures(long* result, long n) {
  *result = n;
  if (n < 2) return;
  long a = 0;
  long b = 0;
  nopal::parallel_invoke([&] { fib_by_closures(&a, n - 1); }, [&] { fib_by_closures(&b, n - 2); });
  *result = a + b;
}

long fib_returned(long n) {
  if (n < 2) return n;
  const auto [a, b] = nopal::parallel_invoke([n] { return fib_returned(n - 1); },
                                             [n] { return fib_returned(n - 2); });
  return a + b;
}

void three(void f()) { nopal::parallel_invoke(f, f, f); }

NOPAL_FORKS long fib_by_frames(long n) {
  if (n < 2) return n;
  nopal::fork_frame frame;
  long a = 0;
  frame.fork(&a, fib_by_frames, n - 1);
  const long b = fib_by_frames(n - 2);
  frame.join();
  return a + b;
}

nopal::task<long> fib_by_tasks(long n) {
  if (n < 2) co_return n;
  long a = 0;
  long b = 0;
  co_await nopal::fork(&a, fib_by_tasks, n - 1);
  co_await nopal::call(&b, fib_by_tasks, n - 2);
  co_await nopal::join();
  co_return a + b;
}

nopal::task<> with_an_array() {
  auto numbers = co_await nopal::allocate<long>(8);
  std::iota(numbers.begin(), numbers.end(), 0L);
}

long by_algorithms(std::vector<long>& v) {
  nopal::for_each(v, [](long& x) { ++x; });
  nopal::scan(v, v.begin(), std::plus<>{});
  return nopal::fold(v, std::plus<>{}).value_or(0);
}

long through_a_pool() {
  nopal::pool<long> pool;
  auto in = pool.producer();
  auto out = pool.consumer();
  for (long i = 0; i < 1000; ++i) in.put(i);
  long sum = 0;
  while (const std::optional<long> x = out.get()) sum += *x;
  return sum;
}

long by_a_reducer(const std::vector<long>& v) {
  nopal::reducer<nopal::monoid::add<long>> sum;
  nopal::for_each(v, [&](long x) { sum += x; });
  return sum.get_value();
}

long in_a_scope(nopal::worker_local<long>& mine) {
  nopal::task_scope scope;
  scope.spawn([&] { mine.with([](long& n) { ++n; }); });
  auto pending = scope.async([] { return 1L; });
  scope.join();
  return pending.get() + static_cast<long>(nopal::current_worker().value_or(0));
}

long by_a_transaction(nopal::stm::var<long>& balance) {
  return nopal::stm::atomically([&](nopal::stm::transaction& t) {
    t.set(balance, t.get(balance) + 1);
    return t.get(balance);
  });
}

void waits(nopal::countdown& c) { c.wait(); }
long blocks() {
  return nopal::blocking([] { return 1L; });
}
