// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/fence.hpp"

namespace nopal::detail {

/// One bit for each consumer, which sets it before it looks whether all shares are empty. Whatever
/// may empty the share to which the indicator belongs clears the bits (docs/pool.md). clear() is a
/// plain store, and is not left out if all bits seem to be 0 already: each clear of a consumer must
/// become visible before that consumer's next change.
class alignas(cache_line) empty_indicator {
 public:
  explicit empty_indicator(unsigned consumers)
      : words_((consumers + 63) / 64),
        more_(words_ > 1 ? new std::atomic<std::uint64_t>[words_ - 1] {} : nullptr) {}

  /// Notes that the consumer begins to look whether all shares are empty.
  void set(unsigned consumer) noexcept {
    word(consumer / 64).fetch_or(bit(consumer), std::memory_order_seq_cst);  // pairs with clear()
  }
  /// Whether nothing has been cleared since the consumer called set().
  [[nodiscard]] bool is_set(unsigned consumer) const noexcept {
    return (word(consumer / 64).load(acquire_at_fence) & bit(consumer)) != 0;  // pairs with clear()
  }
  /// Tells all consumers that the share may have become empty since they called set().
  NOPAL_ALWAYS_INLINE void clear() noexcept {
    first_.store(0, release_at_fence);  // pairs with is_set()
    if (words_ > 1) [[unlikely]]
      clear_more();
  }
  /// Does what clear() does. Precondition: the caller took an element just before, by a
  /// sequentially consistent read-modify-write. If a bit seems to be 0 then, whoever sets it later
  /// looks behind that read-modify-write.
  void clear_if_set() noexcept {
    for (unsigned i = 0; i < words_; ++i)
      if (word(i).load(std::memory_order_seq_cst) != 0)
        word(i).store(0, std::memory_order_seq_cst);  // pair with set()
  }

 private:
  NOPAL_NOINLINE void clear_more() noexcept {
    for (unsigned i = 1; i < words_; ++i)
      word(i).store(0, release_at_fence);  // pairs with is_set()
  }

  static std::uint64_t bit(unsigned consumer) noexcept { return std::uint64_t{1} << consumer % 64; }
  std::atomic<std::uint64_t>& word(unsigned i) noexcept { return i == 0 ? first_ : more_[i - 1]; }
  const std::atomic<std::uint64_t>& word(unsigned i) const noexcept {
    return i == 0 ? first_ : more_[i - 1];
  }

  std::atomic<std::uint64_t> first_{0};
  unsigned words_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> more_;
};

}  // namespace nopal::detail
