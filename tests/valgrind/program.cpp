// SPDX-License-Identifier: Apache-2.0
// Closures, frames and tasks, stolen and not, on strands' stacks and on a lent one, with
// exceptions. Returns 0 if the results are right. What valgrind says of it is the test.
#include <atomic>
#include <cstdint>
#include <thread>

#include "nopal/nopal.hpp"

namespace {

std::uint64_t by_closures(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0, b = 0;
  nopal::parallel_invoke([&] { a = by_closures(n - 1); }, [&] { b = by_closures(n - 2); });
  return a + b;
}

NOPAL_FORKS std::uint64_t by_frames(unsigned n) {
  if (n < 2) return n;
  std::uint64_t a = 0;
  nopal::fork_frame frame;
  frame.fork(&a, by_frames, n - 1);
  const std::uint64_t b = by_frames(n - 2);
  frame.join();
  return a + b;
}

nopal::task<std::uint64_t> by_tasks(unsigned n) {
  if (n < 2) co_return n;
  std::uint64_t a = 0;
  co_await nopal::fork(&a, by_tasks, n - 1);
  const std::uint64_t b = co_await nopal::call(by_tasks, n - 2);
  co_await nopal::join();
  co_return a + b;
}

/// Its second branch is stolen, and needs more of its stack each time.
void with_a_steal(std::size_t deep) {
  std::atomic<bool> stolen{false};
  nopal::parallel_invoke(
      [&] {
        while (!stolen) std::this_thread::yield();
      },
      [&] {
        auto* low = static_cast<volatile char*>(__builtin_alloca(deep));
        low[0] = 1;
        low[deep - 1] = 1;
        stolen = true;
      });
}

/// What follows its fork is stolen, and is called on a stack where more than that has been.
NOPAL_FORKS void with_a_large_frame() {
  volatile char large[4000];
  large[0] = 1;
  std::atomic<bool> stolen{false};
  nopal::fork_frame frame;
  frame.fork([&] {
    while (!stolen) std::this_thread::yield();
  });
  stolen = true;
  frame.join();
}

bool caught(nopal::runtime& r) {
  try {
    r.run([] { nopal::parallel_invoke([] { throw 7; }, [] {}); });
  } catch (int n) {
    return n == 7;
  }
  return false;
}

}  // namespace

int main() {
  nopal::runtime r({.workers = 3, .stack_bytes = 256 << 10});
  bool right = true;
  for (std::size_t i = 1; i <= 20; ++i) {
    r.run(with_a_steal, 1000 * i);
    r.run(with_a_large_frame);
  }
  right &= r.run(by_closures, 12U) == 144;
  right &= r.run(by_frames, 12U) == 144;
  right &= r.run(by_tasks, 12U) == 144;
  right &= by_frames(10) == 55;  // on the stack of this thread, which it lends
  right &= caught(r);
  right &= r.stats().total.steals >= 40;
  return right ? 0 : 2;
}
