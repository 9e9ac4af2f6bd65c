// SPDX-License-Identifier: Apache-2.0
#include "nopal/sync/flag.hpp"

#include <optional>

namespace nopal {

bool flag::take_or_list(detail::offer& o) noexcept {
  return state_.change_or_list(o, [](std::uint32_t seen) {
    return (seen & is_up) != 0 ? std::optional(seen) : std::nullopt;
  });
}

void flag::set_slowly() noexcept {
  state_.change_for_all([](std::uint32_t seen) { return seen | is_up; });
}

}  // namespace nopal
