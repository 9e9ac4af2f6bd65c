// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

namespace nopal_test {

/// Nanoseconds since some moment.
using moment = std::int64_t;

/// The time, to be compared with that of other threads: steady_clock never goes back as physical
/// time advances, whoever asks
/// ([time.clock.steady]); on Linux it is the kernel's CLOCK_MONOTONIC, one for all CPUs.
///
/// By then all that this thread has stored is visible to everybody, and nothing that it does next
/// has begun. CPUs promise neither: a store waits in its buffer while later instructions go on, and
/// a load may be executed ahead of the reading of the clock. It is assembly because ThreadSanitizer
/// neither knows fences nor should learn anything from these.
inline moment ordered_now() noexcept {
#if defined(__x86_64__)
  asm volatile("mfence\n\tlfence" : : : "memory");
#else
  asm volatile("dsb ish\n\tisb" : : : "memory");
#endif
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
#if defined(__x86_64__)
  asm volatile("lfence" : : : "memory");
#else
  asm volatile("isb" : : : "memory");
#endif
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace nopal_test
