// SPDX-License-Identifier: Apache-2.0
#include "platform/broken_invariant.hpp"

#include <cstdlib>

#include "platform/message.hpp"

namespace nopal::detail {

void broken_invariant(const char* which) noexcept {
  write_message(which);  // it may be on a signal stack, or after a fork(2) with stdio locked
  std::abort();
}

}  // namespace nopal::detail
