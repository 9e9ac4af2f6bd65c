// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/sync/barrier_core.hpp"

#include <optional>

namespace nopal::detail {

bool barrier_core::pass_or_list(std::uint32_t phase, offer& o) noexcept {
  return state_.change_or_list(o, [phase](std::uint32_t seen) {
    return (seen & ~awaited_word<std::uint32_t>::is_awaited) != phase ? std::optional(seen)
                                                                      : std::nullopt;
  });
}

void barrier_core::end_phase() noexcept {
  // Nobody arrives before the phase has changed. The relaxed store is published with that.
  missing_.store(expected_.load(std::memory_order_relaxed), std::memory_order_relaxed);
  state_.change_for_all([](std::uint32_t seen) { return seen + one_phase; });
}

}  // namespace nopal::detail
