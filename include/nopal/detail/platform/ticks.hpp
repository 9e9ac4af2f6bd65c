// SPDX-License-Identifier: Apache-2.0
// A loop times its blocks by these, to find how long the next may be (algorithm/blocks.hpp).
#pragma once

#include <cstdint>

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// Reads the CPU's own counter of time, without waiting for the instructions before it. It is good
/// enough to tell a hundred nanoseconds from ten microseconds. On another CPU it may be another
/// counter.
NOPAL_ALWAYS_INLINE std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#endif
}

/// Returns how many ticks are about five microseconds, the length of a loop's blocks. Ticks are
/// cycles of some GHz on x86-64. On aarch64 a register has their frequency.
NOPAL_ALWAYS_INLINE std::uint64_t ticks_of_five_microseconds() noexcept {
#if defined(__x86_64__)
  return 1 << 14;
#elif defined(__aarch64__)
  std::uint64_t frequency;
  asm("mrs %0, cntfrq_el0" : "=r"(frequency));
  return frequency / 200'000 + 1;
#endif
}

}  // namespace nopal::detail
