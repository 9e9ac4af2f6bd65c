// SPDX-License-Identifier: Apache-2.0
// How a transaction sleeps until something that it has read changes.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/stm/transaction_core.hpp"

namespace nopal::detail {

class waiter;

/// Those that sleep in retry.
class waiting_transactions {
 public:
  /// Returns when something that `t` has read has changed, or may have changed. The caller has
  /// undone all that `t` has written. From here on `t` counts as idle.
  void wait(transaction_core& t) noexcept;

  /// A transaction has committed and given its locks back: wakes those that it concerns.
  void wake_changed() noexcept {
    // Pairs with heavy_fence() in wait(): either the one that falls asleep is seen here, or it sees
    // the new versions.
    light_fence();
    if (count_.load(acquire_at_fence) != 0) [[unlikely]]
      look_through();
  }

 private:
  struct node {
    transaction_core* transaction;
    waiter* waits = nullptr;
    node* next = nullptr;
  };

  [[nodiscard]] bool add(node& n, waiter& w) noexcept;
  NOPAL_NOINLINE void look_through() noexcept;

  std::mutex mutex_;
  node* first_ = nullptr;  ///< Under the mutex.
  std::atomic<std::uint32_t> count_{0};
};
extern constinit waiting_transactions transactions_in_retry;

}  // namespace nopal::detail
