// SPDX-License-Identifier: Apache-2.0
// A transaction sleeps by this until something that it has read changes.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/platform/list.hpp"
#include "nopal/detail/stm/transaction_core.hpp"

namespace nopal::detail {

/// The transactions that sleep in retry.
class waiting_transactions {
 public:
  /// Lists the offer `s`, which is served when something that the transaction has read has changed,
  /// or may have changed. Returns false if something has changed already. The caller has undone all
  /// that the transaction has written. From here on it counts as idle.
  [[nodiscard]] bool add(sleeping_transaction& s) noexcept;
  /// Takes the offer out of the list, after its decision is over.
  void remove(sleeping_transaction& s) noexcept;

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
  intrusive_list sleeping_;  ///< Offers. Guarded by the mutex.
  std::atomic<std::uint32_t> count_{0};
};
extern constinit waiting_transactions transactions_in_retry;

}  // namespace nopal::detail
