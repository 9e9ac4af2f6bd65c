// SPDX-License-Identifier: Apache-2.0
// A transaction sleeps by this until something that it has read changes.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/stm/transaction_core.hpp"

namespace nopal::detail {

/// The transactions that sleep in retry.
class waiting_transactions {
 public:
  /// Returns when something that `t` has read has changed, or may have changed. The caller has
  /// undone all that `t` has written. From here on `t` counts as idle.
  void wait(transaction_core& t) noexcept;

  /// Does what wait() does, for a caller that waits in its own way: announces that `w` waits.
  /// Returns false if something has changed already, so that nobody calls w.go_on().
  [[nodiscard]] bool add(sleeping_transaction& s, waiter& w) noexcept;

  /// Wakes those that a commit concerns.
  /// Precondition: the commit has given its locks back.
  void wake_changed() noexcept {
    // Pairs with heavy_fence() in add(): either the one that falls asleep is seen here, or it sees
    // the new versions.
    light_fence();
    if (count_.load(acquire_at_fence) != 0) [[unlikely]]
      look_through();
  }

 private:
  NOPAL_NOINLINE void look_through() noexcept;

  std::mutex mutex_;
  sleeping_transaction* first_ = nullptr;  ///< Guarded by the mutex.
  std::atomic<std::uint32_t> count_{0};
};
extern constinit waiting_transactions transactions_in_retry;

}  // namespace nopal::detail
