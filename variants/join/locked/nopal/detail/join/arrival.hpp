// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace nopal::detail {

/// The word of a join behind a spin lock, to be compared with the atomic one (Pfeiffer 2020,
/// section 4.6).
class arrival_word {
 public:
  explicit arrival_word(std::int64_t v) noexcept : value_(v) {}
  [[nodiscard]] std::int64_t load() const noexcept {
    const guard g(locked_);
    return value_.load(std::memory_order_relaxed);
  }
  /// Reads the word without the lock, which a fork that nobody steals would otherwise take.
  [[nodiscard]] std::int64_t peek() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }
  std::int64_t exchange(std::int64_t v) noexcept {
    const guard g(locked_);
    const std::int64_t old = value_.load(std::memory_order_relaxed);
    value_.store(v, std::memory_order_relaxed);
    return old;
  }
  std::int64_t add(std::int64_t d) noexcept {
    const guard g(locked_);
    const std::int64_t sum = value_.load(std::memory_order_relaxed) + d;
    value_.store(sum, std::memory_order_relaxed);
    return sum;
  }

 private:
  struct guard {
    explicit guard(std::atomic<bool>& l) noexcept : lock(l) {
      // Pairs with the release store below.
      while (lock.exchange(true, std::memory_order_acquire)) {
        while (lock.load(std::memory_order_relaxed)) {
        }
      }
    }
    ~guard() { lock.store(false, std::memory_order_release); }
    guard(const guard&) = delete;
    guard& operator=(const guard&) = delete;
    std::atomic<bool>& lock;
  };

  mutable std::atomic<bool> locked_{false};
  std::atomic<std::int64_t> value_;  // changed under the lock
};

}  // namespace nopal::detail
