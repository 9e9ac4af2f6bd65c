// SPDX-License-Identifier: Apache-2.0
// The one shared word of a join: atomic, or behind a spin lock, as the first paper compares them
// (section 4.6).
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/detail/config.hpp"

namespace nopal::detail {

#if defined(NOPAL_JOIN_WAITFREE)

/// Every operation is one atomic instruction. All are acquire and release, and each pairs with the
/// others on the same word: whoever arrives last sees everything that those before it did.
class arrival_word {
 public:
  explicit arrival_word(std::int64_t v) noexcept : value_(v) {}
  void reset() noexcept {
    value_.store(0, std::memory_order_relaxed);
  }  // only while nobody else can arrive
  [[nodiscard]] std::int64_t load() const noexcept {
    return value_.load(std::memory_order_acquire);
  }
  std::int64_t exchange(std::int64_t v) noexcept {
    return value_.exchange(v, std::memory_order_acq_rel);
  }
  /// Returns the new value.
  std::int64_t add(std::int64_t d) noexcept {
    return value_.fetch_add(d, std::memory_order_acq_rel) + d;
  }

 private:
  std::atomic<std::int64_t> value_;
};

#else

class arrival_word {
 public:
  explicit arrival_word(std::int64_t v) noexcept : value_(v) {}
  void reset() noexcept { value_ = 0; }
  [[nodiscard]] std::int64_t load() const noexcept {
    const guard g(locked_);
    return value_;
  }
  std::int64_t exchange(std::int64_t v) noexcept {
    const guard g(locked_);
    const std::int64_t old = value_;
    value_ = v;
    return old;
  }
  std::int64_t add(std::int64_t d) noexcept {
    const guard g(locked_);
    return value_ += d;
  }

 private:
  struct guard {
    explicit guard(std::atomic<bool>& l) noexcept : lock(l) {
      while (
          lock.exchange(true, std::memory_order_acquire)) {  // pairs with the release store below
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
  std::int64_t value_;
};

#endif

}  // namespace nopal::detail
