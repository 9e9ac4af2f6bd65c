// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

class versioned_lock;

/// What a committing transaction knows of a lock that it holds.
struct lock_record {
  versioned_lock* lock;
  std::uint64_t before;    ///< The version that the lock had.
  std::uint64_t mark = 0;  ///< What its next version is marked with.
};

/// The lock of one or more locations: the version of what they hold or, while a transaction commits
/// to them, which record holds the lock.
///
/// A held lock compares greater than any version, so that a read needs one comparison. So does the
/// version that is marked as the last one: of an object that has been destroyed.
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

  /// What a commit that destroys the object adds to its version.
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
    // Acquired from release() by the holder before, whose stores come before ours.
    return word_.compare_exchange_strong(seen, mine, std::memory_order_acquire,
                                         std::memory_order_relaxed);
  }

  /// The holder gives it back with this version.
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
