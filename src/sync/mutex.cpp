// SPDX-License-Identifier: Apache-2.0
#include "nopal/sync/mutex.hpp"

#include <mutex>

#include "nopal/detail/platform/assert.hpp"
#include "platform/futex.hpp"
#include "sync/events.hpp"

namespace nopal {

bool mutex::try_lock_slowly() noexcept {
  std::uint32_t word = word_.load(std::memory_order_relaxed);
  while (may_overtake(word)) {
    const std::uint32_t overtakes = (word & is_awaited) != 0 ? one_overtake : 0;
    // The acquire pairs with the releases of whoever unlocks.
    if (word_.compare_exchange_weak(word, (word | is_locked) + overtakes, std::memory_order_acquire,
                                    std::memory_order_relaxed))
      return true;
  }
  return false;
}

void mutex::unlock_slowly() noexcept {
  for (;;) {
    std::uint32_t word = word_.load(std::memory_order_relaxed);
    NOPAL_ASSERT((word & is_locked) != 0);
    // Nobody waits any more, or somebody has been woken already, who locks or comes back to wait.
    while ((word & is_awaited) == 0 || (word & is_woken) != 0)
      if (word_.compare_exchange_weak(word, word & ~is_locked, std::memory_order_release,
                                      std::memory_order_relaxed))
        return;  // the mutex may be gone
    detail::offer* next = nullptr;
    {
      const std::lock_guard held(list_lock_);
      // Nobody else changes the word meanwhile: it is locked, and what begins or ends a wait needs
      // the list's lock.
      next = waiting_.take();
      detail::emit<detail::sync_events::passing>();
      word = word_.load(std::memory_order_relaxed);
      if (next == nullptr) {
        // All that waited have been ended by their limits. The mutex stays locked, since it may be
        // gone once it is not, and here its list is still in use.
        word_.store(is_locked, std::memory_order_relaxed);
        continue;
      }
      const bool takes_over = static_cast<detail::mutex_operation::lock_offer*>(next)->takes_over;
      const std::uint32_t more = waiting_.empty() ? 0 : is_awaited;
      const std::uint32_t after =
          takes_over ? is_locked | more : (word & ~is_locked) | is_awaited | is_woken;
      word_.store(after, std::memory_order_release);  // pairs with whoever locks next
    }
    next->of->complete();
    return;
  }
}

/// Locks, or begins to wait.
bool detail::mutex_operation::begin(decision& d, bool for_task) noexcept {
  // A section is often shorter than a suspension.
  constexpr int longest_spin = 10;
  for (int i = 0; !is_next_ && i < longest_spin; ++i) {
    if (mutex_->try_lock()) return true;
    cpu_relax();
  }
  mutex& m = *mutex_;
  emit<sync_events::beginning>();
  const std::lock_guard held(m.list_lock_);
  std::uint32_t word = m.word_.load(std::memory_order_relaxed);
  for (;;) {
    std::uint32_t after = 0;
    const bool locks = is_next_ ? (word & mutex::is_locked) == 0 : mutex::may_overtake(word);
    if (is_next_) {
      NOPAL_ASSERT((word & mutex::is_woken) != 0);
      // The one that has waited longest is served, or waits again in front of all.
      const std::uint32_t more = m.waiting_.empty() ? 0 : mutex::is_awaited;
      after = locks ? mutex::is_locked | more : (word & ~mutex::is_woken) | mutex::is_awaited;
    } else if (locks) {
      after =
          (word | mutex::is_locked) + ((word & mutex::is_awaited) != 0 ? mutex::one_overtake : 0);
    } else {
      after = word | mutex::is_awaited;
    }
    // The acquire pairs with the releases of whoever unlocks.
    if (!m.word_.compare_exchange_weak(word, after, std::memory_order_acquire,
                                       std::memory_order_relaxed))
      continue;
    if (locks) {
      is_next_ = false;
      return true;
    }
    break;
  }
  offer_.of = &d;
  offer_.takes_over = for_task;
  if (is_next_)
    m.waiting_.push_front(offer_);
  else
    m.waiting_.push_back(offer_);
  is_next_ = false;
  return false;
}

/// Returns whether the wait has ended for good.
bool detail::mutex_operation::end(unsigned number) noexcept {
  if (!decision::is_limit(number)) {
    is_next_ = !offer_.takes_over;
    return !is_next_;
  }
  mutex& m = *mutex_;
  const std::lock_guard held(m.list_lock_);
  offer_.unlink();
  std::uint32_t word = m.word_.load(std::memory_order_relaxed);
  while (m.waiting_.empty() && (word & mutex::is_woken) == 0 &&
         !m.word_.compare_exchange_weak(word, word & mutex::is_locked, std::memory_order_relaxed,
                                        std::memory_order_relaxed)) {
  }
  return true;
}

}  // namespace nopal
