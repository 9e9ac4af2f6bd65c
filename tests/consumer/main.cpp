// SPDX-License-Identifier: Apache-2.0
// What a user of nopal writes first: both front ends, in a runtime of their own.
#include <cstdint>
#include <cstdio>
#include <nopal/nopal.hpp>

namespace {

std::uint64_t fib_by_closures(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  nopal::parallel_invoke([&] { a = fib_by_closures(n - 1); }, [&] { b = fib_by_closures(n - 2); });
  return a + b;
}

NOPAL_FORKS std::uint64_t fib_by_frames(unsigned n) {
  if (n < 2) return n;
  nopal::fork_frame frame;
  std::uint64_t a = 0;
  frame.fork(&a, fib_by_frames, n - 1);
  const std::uint64_t b = fib_by_frames(n - 2);
  frame.join();
  return a + b;
}

}  // namespace

int main() {
  nopal::options options;
  options.workers = 2;
  nopal::runtime runtime(options);
  const std::uint64_t closures = runtime.run(fib_by_closures, 25u);
  const std::uint64_t frames = runtime.run(fib_by_frames, 25u);
  std::printf("fib(25) = %llu and %llu\n", static_cast<unsigned long long>(closures),
              static_cast<unsigned long long>(frames));
  return closures == 75025 && frames == 75025 ? 0 : 1;
}
