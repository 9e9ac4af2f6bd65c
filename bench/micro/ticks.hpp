// SPDX-License-Identifier: Apache-2.0
// A clock cheap enough to read at both ends of a steal, and the same on all CPUs.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace nopal_bench {

/// The CPU's own counter if it is constant and the same on all CPUs; otherwise the steady clock.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  unsigned cpu = 0;
  return __rdtscp(&cpu);  // waits for the instructions before it
#elif defined(__aarch64__)
  std::uint64_t value = 0;
  asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(value)::"memory");
  return value;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

/// The nanoseconds of one tick, by comparison with the steady clock over 50 ms.
inline double nanoseconds_per_tick() {
  using clock = std::chrono::steady_clock;
  const auto begin = clock::now();
  const std::uint64_t first = ticks();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto end = clock::now();
  const std::uint64_t last = ticks();
  return std::chrono::duration<double, std::nano>(end - begin).count() /
         static_cast<double>(last - first);
}

/// Spins for about that many nanoseconds.
inline void spin_for(double nanoseconds, double tick) {
  const std::uint64_t begin = ticks();
  while (static_cast<double>(ticks() - begin) * tick < nanoseconds) {
  }
}

}  // namespace nopal_bench
