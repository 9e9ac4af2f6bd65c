// SPDX-License-Identifier: Apache-2.0
// The n-th Fibonacci number, the slow way: the smallest program that forks. Usage: fib [n]
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <nopal/nopal.hpp>

// Forks with closures. f and g of parallel_invoke(f, g) may run at the same time.
std::uint64_t fib(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  nopal::parallel_invoke([&] { a = fib(n - 1); }, [&] { b = fib(n - 2); });
  return a + b;
}

// Forks in the middle of a function: after fork() the rest of the function may run while the forked
// call does.
NOPAL_FORKS std::uint64_t fib_in_the_middle(unsigned n) {
  if (n < 2) return n;
  nopal::fork_frame frame;
  std::uint64_t a = 0;
  frame.fork(&a, fib_in_the_middle, n - 1);
  const std::uint64_t b = fib_in_the_middle(n - 2);
  frame.join();  // a is there from here on
  return a + b;
}

int main(int argc, char** argv) {
  const auto n = static_cast<unsigned>(argc > 1 ? std::atoi(argv[1]) : 32);
  const std::uint64_t one = nopal::run(fib, n);
  const std::uint64_t other = nopal::run(fib_in_the_middle, n);
  std::cout << "fib(" << n << ") = " << one << '\n';
  return one == other ? 0 : 1;
}
