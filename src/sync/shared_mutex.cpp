// SPDX-License-Identifier: Apache-2.0
#include "nopal/sync/shared_mutex.hpp"

#include <mutex>
#include <optional>

namespace nopal {

/// Takes the writer that comes first, or the readers that come first, one behind the other. Returns
/// what the word says of those. Precondition: the caller holds the lock of the list.
std::uint32_t shared_mutex::take_next(detail::taken_offers& next, bool only_readers) noexcept {
  using lock_offer = detail::shared_mutex_operation::lock_offer;
  std::uint32_t lock = 0;
  while (auto* o = static_cast<lock_offer*>(state_.waiting.first())) {
    if (!o->shares && (only_readers || lock != 0)) break;
    if (!state_.waiting.take(*o)) continue;
    next.add(*o);
    if (!o->shares) return is_written;
    lock += one_reader;
  }
  return lock;
}

/// Unlocks when somebody may wait. While somebody does, the mutex is handed over: it is never free
/// then.
/// \param mine  what the word says of the caller.
void shared_mutex::unlock_slowly(std::uint32_t mine) noexcept {
  for (;;) {
    std::uint32_t seen = state_.word.load(std::memory_order_relaxed);
    // Other readers have it still, or nobody waits any more. The release pairs with the acquires of
    // whoever locks next.
    while (seen != mine + state_.is_awaited)
      if (state_.word.compare_exchange_weak(seen, seen - mine, std::memory_order_release,
                                            std::memory_order_relaxed))
        return;  // the mutex may be gone
    detail::taken_offers next;
    {
      const std::lock_guard held(state_.lock);
      // Readers may have come in, when a limit ended the wait of a writer.
      // The acquire pairs with the releases of the other readers: the next one sees theirs, too.
      if (state_.word.load(std::memory_order_acquire) != mine + state_.is_awaited) continue;
      // Nobody else changes the word from here on: only the caller has the mutex locked, and what
      // begins or ends a wait needs the list's lock.
      const std::uint32_t lock = take_next(next, false);
      const std::uint32_t more = state_.waiting.empty() ? 0 : state_.is_awaited;
      // If all that waited have been ended by their limits, the mutex stays locked: it may be gone
      // once it is not, and here its list is still in use. Those that are next go on only later.
      state_.word.store((lock != 0 ? lock : mine) | more, std::memory_order_release);  // as above
      if (lock == 0) continue;
    }
    next.complete();
    return;
  }
}

bool detail::shared_mutex_operation::begin(decision& d, bool /*for_task*/) noexcept {
  listed.of = &d;
  return mutex->state_.change_or_list(listed, [this](std::uint32_t seen) {
    if (listed.shares)
      return shared_mutex::may_share(seen) ? std::optional(seen + shared_mutex::one_reader)
                                           : std::nullopt;
    return seen == 0 ? std::optional(shared_mutex::is_written) : std::nullopt;
  });
}

bool detail::shared_mutex_operation::end(unsigned number) noexcept {
  if (!decision::is_limit(number)) return true;
  auto& state = mutex->state_;
  taken_offers next;
  {
    const std::lock_guard held(state.lock);
    listed.unlink();
    // Readers may have waited behind this writer while others have the mutex. These may unlock
    // meanwhile, but the last one needs the list's lock if somebody waits.
    const std::uint32_t seen = state.word.load(std::memory_order_relaxed);
    if ((seen & state.is_awaited) != 0 && seen >= shared_mutex::one_reader)
      // The acquire pairs with the release of the writer before: the readers see its work.
      state.word.fetch_add(mutex->take_next(next, true), std::memory_order_acquire);
    state.clear_if_empty();
  }
  next.complete();
  return true;
}

}  // namespace nopal
