// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string_view>

namespace nopal::detail {

/// Whether the user has helper threads do what newer kernels do, by NOPAL_IO=threads.
inline bool io_by_threads() noexcept {
  const char* value = std::getenv("NOPAL_IO");
  return value != nullptr && std::string_view(value) == "threads";
}

}  // namespace nopal::detail
