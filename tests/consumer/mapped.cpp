// SPDX-License-Identifier: Apache-2.0
// A program whose workers are processes.
#include <cstdio>
#include <nopal/mapped.hpp>
#include <nopal/parallel_invoke.hpp>

namespace {

long fib(long n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  nopal::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

}  // namespace

int main() {
  nopal::mapped::runtime two({.workers = 2});
  const long result = two.run([] { return fib(20); });
  std::printf("fib(20) = %ld\n", result);
  return result == 6765 ? 0 : 1;
}
