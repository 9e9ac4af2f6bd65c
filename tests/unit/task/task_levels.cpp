// SPDX-License-Identifier: Apache-2.0
// Tasks with the optimization that this file is compiled with: a million forks and calls in a loop,
// and recursions of a hundred thousand levels, which would overflow the worker's stack if tasks did
// not see to it. And whether coroutines hand over to each other by jumps, which those of the serial
// elision ask.
#include <cstdint>
#include <cstdio>

#include "nopal/detail/platform/jump.hpp"
#include "nopal/task.hpp"

namespace {

using nopal::call;
using nopal::fork;
using nopal::join;
using nopal::task;

constexpr std::int64_t million = 1'000'000;

task<std::uint64_t> fib(unsigned n) {
  if (n < 2) co_return n;
  std::uint64_t a, b;
  co_await fork(&a, fib, n - 1);
  co_await call(&b, fib, n - 2);
  co_await join();
  co_return a + b;
}

task<> nothing() { co_return; }

task<std::int64_t> many_forks() {
  std::int64_t n = 0;
  for (; n < million; ++n) co_await fork(nothing);
  co_await join();
  co_return n;
}

task<std::int64_t> many_calls() {
  std::int64_t n = 0;
  for (; n < million; ++n) co_await call(nothing);
  co_return n;
}

task<std::int64_t> deep(std::int64_t n) {
  if (n == 0) co_return 0;
  std::int64_t below = 0;
  co_await fork(&below, deep, n - 1);
  co_await join();
  co_return below + 1;
}

task<std::int64_t> deep_calls(std::int64_t n) {
  if (n == 0) co_return 0;
  co_return 1 + co_await deep_calls(n - 1);
}

/// Each level forks a small tree besides, so that tasks begin at all depths of the worker's stack.
task<std::int64_t> deep_and_wide(std::int64_t n) {
  if (n == 0) co_return 0;
  std::int64_t below = 0;
  std::uint64_t beside = 0;
  co_await fork(&below, deep_and_wide, n - 1);
  co_await fork(&beside, fib, 4U);
  co_await join();
  co_return below + static_cast<std::int64_t>(beside) / 3;
}

/// Much of the machine's stack for a variable that does not live across a co_await.
[[gnu::noinline]] std::int64_t with_much_stack(std::int64_t n) {
  volatile char much[std::size_t{400} << 10];
  much[0] = 1;
  much[sizeof much - 1] = 1;
  return n + much[0] - much[sizeof much - 1];
}

task<std::int64_t> deep_with_much_stack(std::int64_t n) {
  if (n == 0) co_return with_much_stack(0);
  std::int64_t below = 0;
  co_await fork(&below, deep_with_much_stack, n - 1);
  co_await join();
  co_return below + 1;
}

bool is(const char* what, std::int64_t result, std::int64_t expected) {
  if (result == expected) return true;
  std::fprintf(stderr, "%s: %lld instead of %lld\n", what, static_cast<long long>(result),
               static_cast<long long>(expected));
  return false;
}

}  // namespace

int main() {
  bool good = true;
#ifdef NOPAL_EXPECT_JUMPS
  good &= is("a coroutine hands over by a jump", nopal::detail::hands_over_by_jump(),
             NOPAL_EXPECT_JUMPS);
#endif
  for (const unsigned workers : {1U, 2U}) {
    nopal::runtime r({.workers = workers});
    good &= is("fib(20)", static_cast<std::int64_t>(r.run(fib, 20U)), 6765);
    good &= is("a million calls", r.run(many_calls), million);
    good &= is("a million forks", r.run(many_forks), million);
    good &= is("a deep recursion", r.run(deep, million / 10), million / 10);
    good &= is("a deep recursion by calls", r.run(deep_calls, million / 10), million / 10);
    good &= is("deep and wide", r.run(deep_and_wide, million / 10), million / 10);
    good &= is("deep with a large frame below", r.run(deep_with_much_stack, million / 10),
               million / 10);
  }
  return good ? 0 : 1;
}
