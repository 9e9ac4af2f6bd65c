// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

#include "nopal/detail/platform/config.hpp"
#include "nopal/task/outcome.hpp"

namespace nopal::detail {

/// \throws std::logic_error, which says that a nopal::pending is used that has no result.
[[noreturn, gnu::cold]] NOPAL_NOINLINE inline void no_result_to_get() {
  throw std::logic_error(
      "nopal: a nopal::pending has no result: get() or co_await has taken it already, or the "
      "nopal::pending has been moved from. Take a result once, from the object that it was moved "
      "to, and keep it");
}

}  // namespace nopal::detail
