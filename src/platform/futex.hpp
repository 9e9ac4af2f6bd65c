// SPDX-License-Identifier: Apache-2.0
// The ways to wait: in a loop, or asleep in the kernel.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>

namespace nopal::detail {

/// Tells the processor that this is a loop that waits.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

/// Sleeps while `word` holds `expected`. May return for no reason. It is a full barrier, as every
/// system call that sleeps is.
inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

/// Does what futex_wait() does, but no longer than until `end`; the clock is CLOCK_MONOTONIC. This
/// is for whoever has a deadline, or looks from time to time whether something is wrong.
inline void futex_wait_until(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                             std::chrono::steady_clock::time_point end) noexcept {
  if (end == std::chrono::steady_clock::time_point::max()) return futex_wait(word, expected);
  const auto since = end.time_since_epoch();
  if (since.count() <= 0) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
  const timespec at{
      static_cast<time_t>(seconds.count()),
      static_cast<long>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(since - seconds).count())};
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected, &at, nullptr,
          FUTEX_BITSET_MATCH_ANY);
}

/// Does what futex_wait() does, and futex_wake_marked() with a mark that shares a bit wakes it too.
/// \param marks  not 0.
inline void futex_wait_marked(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                              std::uint32_t marks) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, expected, nullptr, nullptr, marks);
}

/// Wakes all threads that sleep on `word` with one of these marks.
inline void futex_wake_marked(std::atomic<std::uint32_t>& word, std::uint32_t marks) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, nullptr, nullptr, marks);
}

/// Wakes up to `count` threads that sleep on `word`, with any marks.
inline void futex_wake(std::atomic<std::uint32_t>& word, int count) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

}  // namespace nopal::detail
