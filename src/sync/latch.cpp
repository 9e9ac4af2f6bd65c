// SPDX-License-Identifier: Apache-2.0
#include "nopal/sync/latch.hpp"

#include <optional>

namespace nopal {

bool latch::take_or_list(detail::offer& o) noexcept {
  return state_.change_or_list(
      o, [](std::uint64_t seen) { return seen == 0 ? std::optional(seen) : std::nullopt; });
}

void latch::count_down_last(std::uint64_t by) noexcept {
  state_.change_for_all([by](std::uint64_t seen) { return seen - by; });
}

}  // namespace nopal
