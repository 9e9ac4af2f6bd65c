// SPDX-License-Identifier: Apache-2.0
#include "stm/waiting.hpp"

#include "nopal/detail/stm/events.hpp"
#include "nopal/detail/wait/decision.hpp"

namespace nopal::detail {

constinit waiting_transactions transactions_in_retry;

bool waiting_transactions::add(sleeping_transaction& s) noexcept {
  // The addition and the fence pair with wake_changed().
  count_.fetch_add(1, std::memory_order_seq_cst);
  heavy_fence();
  emit<stm_events::falling_asleep>();
  const std::lock_guard lock(mutex_);
  const bool sleeps = s.transaction->is_unchanged();
  if (sleeps) {
    sleeping_.push_back(s);
  } else {
    count_.fetch_sub(1, std::memory_order_relaxed);
  }
  // Another transaction that changes something that this one has read may free it after this store,
  // once it has committed and looked through the sleeping ones. The release pairs with the acquire
  // in oldest_start().
  s.transaction->log_->start.store(transaction_log::idle, std::memory_order_release);
  return sleeps;
}

void waiting_transactions::remove(sleeping_transaction& s) noexcept {
  const std::lock_guard lock(mutex_);
  if (!s.is_listed()) return;  // it was found while the limit decided
  s.unlink();
  count_.fetch_sub(1, std::memory_order_relaxed);
}

/// Wakes each transaction in retry that has read something which has changed.
void waiting_transactions::look_through() noexcept {
  taken_offers woken;
  {
    const std::lock_guard lock(mutex_);
    for (list_links* l = sleeping_.first(); l != nullptr;) {
      auto& s = static_cast<sleeping_transaction&>(*l);
      l = sleeping_.after(s);
      if (s.transaction->is_unchanged()) continue;
      s.unlink();
      count_.fetch_sub(1, std::memory_order_relaxed);
      if (s.of->decide(0)) woken.add(s);
    }
  }
  woken.complete();
}

}  // namespace nopal::detail
