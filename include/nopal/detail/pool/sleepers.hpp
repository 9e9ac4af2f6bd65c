// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/fence.hpp"

namespace nopal::detail {

/// Consumers that sleep until there is something to get, and the producers that wake them. A
/// producer reads one word, after its element is there. A consumer writes that word, then executes
/// the heavy fence, and then looks for an element once more.
///
/// One consumer is woken at a time. Until it has come back, puts wake nobody; so a consumer that
/// leaves, with an element or without, wakes the next.
class pool_sleepers {
 public:
  /// Wakes a consumer if one may sleep. A producer calls this behind a light fence.
  NOPAL_ALWAYS_INLINE void notify() noexcept {
    if (wanted_.load(relaxed_at_fence) != 0) [[unlikely]]
      wake_if_wanted();  // pairs with announce()
  }

  /// Wakes all consumers: the pool is closed, or one of them is to stop waiting.
  void wake_all() noexcept;

  /// A consumer between its first failure and its return.
  class sleeper {
   public:
    explicit sleeper(pool_sleepers& s) noexcept : sleepers_(s) {
      s.count_.fetch_add(1, std::memory_order_seq_cst);  // pairs with ~sleeper()
    }
    ~sleeper();
    sleeper(const sleeper&) = delete;
    sleeper& operator=(const sleeper&) = delete;

    /// Says that the consumer is to be woken from now on. It then executes the heavy fence, looks
    /// for an element, and calls sleep().
    void announce() noexcept {
      // Pairs with wake_one() and wake_all().
      seen_ = sleepers_.changes_.load(std::memory_order_acquire);
      sleepers_.wanted_.store(1, std::memory_order_seq_cst);  // pairs with notify()
    }
    /// Sleeps until the consumer is woken, if it was not since announce(), or until the time is
    /// over. It may also return for no reason.
    void sleep(std::chrono::steady_clock::time_point until) noexcept;

   private:
    pool_sleepers& sleepers_;
    std::uint32_t seen_ = 0;
  };

 private:
  /// Wakes one consumer, unless another producer does so already.
  NOPAL_NOINLINE void wake_if_wanted() noexcept;
  void wake_one() noexcept;

  /// Somebody may sleep whom nobody has woken yet.
  alignas(cache_line) std::atomic<std::uint32_t> wanted_{0};
  alignas(cache_line) std::atomic<std::uint32_t> changes_{0};  ///< The futex. Counts wake-ups.
  std::atomic<std::uint32_t> count_{0};                        ///< Consumers that may sleep.
};

}  // namespace nopal::detail
