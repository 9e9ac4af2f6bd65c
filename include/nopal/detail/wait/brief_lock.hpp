// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace nopal::detail {

/// A lock of four bytes for sections of a few instructions, which neither wait nor allocate.
///
/// Whoever finds it taken spins for a moment, and then sleeps in the kernel with its whole worker.
/// So it is held only while a list or a counter changes. docs/wait.md has what relies on it.
/// Thread-safety: Lockable of the standard; the thread that has locked it unlocks it. unlock() does
/// not touch the lock any more once another thread can have locked it, except for a futex that
/// wakes its address.
class brief_lock {
 public:
  brief_lock() noexcept = default;
  brief_lock(const brief_lock&) = delete;
  brief_lock& operator=(const brief_lock&) = delete;

  void lock() noexcept {
    if (!try_lock()) [[unlikely]]
      lock_slowly();
  }
  [[nodiscard]] bool try_lock() noexcept {
    std::uint32_t free = is_free;
    // The acquire pairs with the release in unlock().
    return word_.compare_exchange_strong(free, is_locked, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }
  void unlock() noexcept {
    // The release pairs with the acquires in try_lock() and lock_slowly().
    if (word_.exchange(is_free, std::memory_order_release) == is_awaited) [[unlikely]]
      wake_one();
  }

 private:
  static constexpr std::uint32_t is_free = 0;
  static constexpr std::uint32_t is_locked = 1;
  static constexpr std::uint32_t is_awaited = 2;  ///< It is locked, and somebody may sleep.

  void lock_slowly() noexcept;
  void wake_one() noexcept;

  std::atomic<std::uint32_t> word_{is_free};
};

}  // namespace nopal::detail
