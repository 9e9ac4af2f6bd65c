// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace nopal::detail {

/// Holds a spin lock for its lifetime.
struct arrival_guard {
  explicit arrival_guard(std::atomic<bool>& l) noexcept : lock(l) {
    // Pairs with the release store below.
    while (lock.exchange(true, std::memory_order_acquire)) {
      while (lock.load(std::memory_order_relaxed)) {
      }
    }
  }
  ~arrival_guard() { lock.store(false, std::memory_order_release); }
  arrival_guard(const arrival_guard&) = delete;
  arrival_guard& operator=(const arrival_guard&) = delete;
  std::atomic<bool>& lock;
};

/// The word of a join behind a spin lock, to be compared with the atomic one (Pfeiffer 2020,
/// section 4.6).
class arrival_word {
 public:
  explicit arrival_word(std::int64_t v) noexcept : value_(v) {}
  [[nodiscard]] std::int64_t load() const noexcept {
    const arrival_guard g(locked_);
    return value_.load(std::memory_order_relaxed);
  }
  /// Reads the word without the lock, which a fork that nobody steals would otherwise take.
  [[nodiscard]] std::int64_t peek() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }
  std::int64_t exchange(std::int64_t v) noexcept {
    const arrival_guard g(locked_);
    const std::int64_t old = value_.load(std::memory_order_relaxed);
    value_.store(v, std::memory_order_relaxed);
    return old;
  }
  std::int64_t add(std::int64_t d) noexcept {
    const arrival_guard g(locked_);
    const std::int64_t sum = value_.load(std::memory_order_relaxed) + d;
    value_.store(sum, std::memory_order_relaxed);
    return sum;
  }

 private:
  mutable std::atomic<bool> locked_{false};
  std::atomic<std::int64_t> value_;  // changed under the lock
};

/// The same lock for the word of a join of two, which a thief also reads without the lock, to know
/// what it is to run.
class arrival_of_two {
 public:
  std::int64_t load(std::int64_t& state) const noexcept {
    const arrival_guard g(locked_);
    return std::atomic_ref(state).load(std::memory_order_relaxed);
  }
  std::int64_t exchange(std::int64_t& state, std::int64_t v) noexcept {
    const arrival_guard g(locked_);
    const std::int64_t old = std::atomic_ref(state).load(std::memory_order_relaxed);
    // Pairs with the acquire load in continuation::run_on().
    std::atomic_ref(state).store(v, std::memory_order_release);
    return old;
  }

 private:
  mutable std::atomic<bool> locked_{false};
};

}  // namespace nopal::detail
