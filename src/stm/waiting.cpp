// SPDX-License-Identifier: Apache-2.0
#include "stm/waiting.hpp"

#include <utility>

#include "nopal/detail/stm/events.hpp"
#include "nopal/detail/wait/waiter.hpp"

namespace nopal::detail {

constinit waiting_transactions transactions_in_retry;

void waiting_transactions::wait(transaction_core& t) noexcept {
#ifdef NOPAL_CHECK
  const noted_wait noted(t.as_reason());
#endif
  sleeping_transaction s{&t};
  wait_for([&](waiter& w) noexcept { return add(s, w); });
}

bool waiting_transactions::add(sleeping_transaction& s, waiter& w) noexcept {
  // The addition and the fence pair with wake_changed().
  count_.fetch_add(1, std::memory_order_seq_cst);
  heavy_fence();
  emit<stm_events::falling_asleep>();
  const std::lock_guard lock(mutex_);
  const bool sleeps = s.transaction->is_unchanged();
  if (sleeps) {
    s.waits = &w;
    s.next = std::exchange(first_, &s);
  } else {
    count_.fetch_sub(1, std::memory_order_relaxed);
  }
  // Another transaction that changes something that this one has read may free it after this store,
  // once it has committed and looked through the sleeping ones. The release pairs with the acquire
  // in oldest_start().
  s.transaction->log_->start.store(transaction_log::idle, std::memory_order_release);
  return sleeps;
}

/// Wakes each transaction in retry that has read something which has changed.
void waiting_transactions::look_through() noexcept {
  sleeping_transaction* woken = nullptr;
  {
    const std::lock_guard lock(mutex_);
    for (sleeping_transaction** link = &first_; *link != nullptr;) {
      sleeping_transaction* s = *link;
      if (s->transaction->is_unchanged()) {
        link = &s->next;
        continue;
      }
      *link = s->next;
      s->next = std::exchange(woken, s);
      count_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  while (woken != nullptr) {
    sleeping_transaction* next = woken->next;  // *woken may be gone when its strand goes on
    woken->waits->go_on();
    woken = next;
  }
}

}  // namespace nopal::detail
