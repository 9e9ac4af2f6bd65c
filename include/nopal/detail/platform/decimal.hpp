// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace nopal::detail {

/// Does what std::to_string() does, which in g++ has a table that is unique in a process. The C
/// library never unloads a plugin that has such a table.
inline std::string decimal(std::intmax_t n) {
  std::array<char, 24> digits;
  const int length = std::snprintf(digits.data(), digits.size(), "%jd", n);
  return {digits.data(), static_cast<std::size_t>(length)};
}

}  // namespace nopal::detail
