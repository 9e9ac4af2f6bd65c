// SPDX-License-Identifier: Apache-2.0
#include "nopal/sync/once.hpp"

#include <mutex>
#include <optional>

#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

bool once_turn::begin(decision& d, bool /*for_task*/) noexcept {
  offer_.of = &d;
  return once_->state_.change_or_list(offer_, [this](std::uint32_t seen) {
    offer_.is_to_run = seen == once::is_new;
    if (offer_.is_to_run) return std::optional(once::runs);
    return seen == once::has_run ? std::optional(seen) : std::nullopt;
  });
}

bool once_turn::end(unsigned number) noexcept {
  if (decision::is_limit(number)) once_->state_.unlist(offer_);
  return true;
}

void once_turn::has_run() noexcept {
  once_->state_.change_for_all([](std::uint32_t) { return once::has_run; });
}

void once_turn::has_thrown() noexcept {
  auto& state = once_->state_;
  for (;;) {
    std::uint32_t seen = state.word.load(std::memory_order_relaxed);
    NOPAL_ASSERT((seen & ~state.is_awaited) == once::runs);
    while ((seen & state.is_awaited) == 0)
      // The release pairs with the acquire of the next one that runs its function.
      if (state.word.compare_exchange_weak(seen, once::is_new, std::memory_order_release,
                                           std::memory_order_relaxed))
        return;
    offer* next = nullptr;
    {
      const std::lock_guard held(state.lock);
      next = state.waiting.take();
      state.clear_if_empty();
    }
    if (next == nullptr) continue;  // a limit has ended each wait
    static_cast<turn_offer*>(next)->is_to_run = true;
    next->of->complete();
    return;
  }
}

}  // namespace nopal::detail
