// SPDX-License-Identifier: Apache-2.0
// This is the one shared word of a join. A build for comparisons may have the word with a lock
// first in its include path.
#pragma once

#include <atomic>
#include <cstdint>

namespace nopal::detail {

/// Every operation is one atomic instruction. All but peek() are acquire and release, and each
/// pairs with the others on the same word: whoever arrives last sees everything that those before
/// it did.
class arrival_word {
 public:
  explicit arrival_word(std::int64_t v) noexcept : value_(v) {}
  [[nodiscard]] std::int64_t load() const noexcept {
    return value_.load(std::memory_order_acquire);
  }
  /// Reads the word for a caller that only compares it with what it has stored itself.
  [[nodiscard]] std::int64_t peek() const noexcept {
    return value_.load(std::memory_order_relaxed);
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

/// The operations on the word of a join of two, which is a plain word until its continuation is
/// pushed. They are acquire and release as well, and pair with each other and with
/// continuation::run_on().
class arrival_of_two {
 public:
  static std::int64_t load(std::int64_t& state) noexcept {
    return std::atomic_ref(state).load(std::memory_order_acquire);
  }
  static std::int64_t exchange(std::int64_t& state, std::int64_t v) noexcept {
    return std::atomic_ref(state).exchange(v, std::memory_order_acq_rel);
  }
};

}  // namespace nopal::detail
