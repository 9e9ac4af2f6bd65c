// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

class versioned_lock;

/// The record that a committing transaction has of a lock that it holds.
struct lock_record {
  versioned_lock* lock;
  std::uint64_t before;    ///< The version that the lock had.
  std::uint64_t mark = 0;  ///< The mark of its next version, or 0.
};

/// The lock of one or more locations. Its word is the version of what they hold or, while a
/// transaction commits to them, says which record holds the lock.
///
/// A held lock compares greater than any version, so that a read needs one comparison. So does a
/// version that is marked as the last one, which is that of a destroyed object.
class versioned_lock {
 public:
  using word = std::uint64_t;

  constexpr versioned_lock() noexcept = default;
  versioned_lock(const versioned_lock&) = delete;
  versioned_lock& operator=(const versioned_lock&) = delete;

  [[nodiscard]] static constexpr bool is_held(word w) noexcept { return (w & held) != 0; }
  [[nodiscard]] static const lock_record* holder(word w) noexcept {
    return reinterpret_cast<const lock_record*>(w & ~held);
  }

  /// A commit that destroys the object adds this to its version.
  static constexpr word last = word{1} << 62;
  [[nodiscard]] static constexpr bool is_last(word w) noexcept {
    return (w & (held | last)) == last;
  }
  [[nodiscard]] static constexpr word version_in(word w) noexcept { return w & ~last; }

  [[nodiscard]] word load(std::memory_order order) const noexcept { return word_.load(order); }

  /// Takes the lock for `r`, if it is free and still has the version `seen`, which is then the
  /// latest there is.
  [[nodiscard]] bool try_take(word seen, const lock_record& r) noexcept {
    NOPAL_ASSERT(!is_held(seen));
    const word mine = reinterpret_cast<word>(&r) | held;
    // Pairs with release() by the holder before: its stores come before those of this holder.
    return word_.compare_exchange_strong(seen, mine, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  /// Gives the lock back with this version.
  /// Precondition: the caller holds it.
  void release(word version, std::memory_order order) noexcept {
    NOPAL_ASSERT(!is_held(version));
    NOPAL_ASSERT(is_held(word_.load(std::memory_order_relaxed)));
    word_.store(version, order);
  }

 private:
  static constexpr word held = word{1} << 63;

  std::atomic<word> word_{0};
};

}  // namespace nopal::detail
