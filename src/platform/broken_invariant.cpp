// SPDX-License-Identifier: Apache-2.0
#include "platform/broken_invariant.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace nopal::detail {

void broken_invariant(const char* which) noexcept {
  // write(2): it may be called on a signal stack, or after a fork(2) with stdio locked.
  for (const char* part : {"nopal: ", which, "\n"})
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  std::abort();
}

}  // namespace nopal::detail
