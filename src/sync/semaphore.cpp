// SPDX-License-Identifier: Apache-2.0
#include "nopal/sync/semaphore.hpp"

#include <mutex>
#include <optional>

namespace nopal {

bool semaphore::take_or_list(detail::offer& o) noexcept {
  return state_.change_or_list(
      o, [](std::uint64_t seen) { return seen >= one ? std::optional(seen - one) : std::nullopt; });
}

void semaphore::release_slowly(std::ptrdiff_t k) noexcept {
  detail::taken_offers served;
  for (std::uint64_t seen = 0; k > 0;) {
    {
      const std::lock_guard held(state_.lock);
      for (detail::offer* o = nullptr; k > 0 && (o = state_.waiting.take()) != nullptr; --k)
        served.add(*o);
      state_.clear_if_empty();
    }
    // What is left is added last, without the lock: the semaphore may be gone then. Somebody may
    // have come to wait meanwhile.
    seen = state_.word.load(std::memory_order_relaxed);
    while (k > 0 && (seen & state_.is_awaited) == 0)
      // The release pairs with the acquires in take() and take_or_list().
      if (state_.word.compare_exchange_weak(seen, seen + static_cast<std::uint64_t>(k) * one,
                                            std::memory_order_release, std::memory_order_relaxed))
        k = 0;
  }
  served.complete();
}

}  // namespace nopal
