// SPDX-License-Identifier: Apache-2.0
#include "nopal/io/resolve.hpp"

#include <system_error>

namespace nopal::io {

const std::error_category& resolve_category() noexcept {
  static const detail::resolve_errors category;
  return category;
}

}  // namespace nopal::io
