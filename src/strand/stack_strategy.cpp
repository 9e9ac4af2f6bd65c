// SPDX-License-Identifier: Apache-2.0
#include "strand/stack_strategy.hpp"

#include <array>
#include <cstdio>

#include "platform/message.hpp"

namespace nopal::detail {

void stack_strategy::refuse(const char* what) noexcept {
  std::array<char, 256> message;
  std::snprintf(message.data(), message.size(),
                "%s does not work in a nopal::mapped::runtime, whose workers do not see each "
                "other's stacks; docs/mapped.md lists what does. Use a nopal::runtime",
                what);
  misuse(message.data());
}

}  // namespace nopal::detail
