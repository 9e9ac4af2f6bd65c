// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace nopal::detail {

/// std::to_string() of g++ has a table that is unique in a process, and for that the C library
/// never unloads a plugin that has it.
inline std::string decimal(std::intmax_t n) {
  std::array<char, 24> digits;
  const int length = std::snprintf(digits.data(), digits.size(), "%jd", n);
  return {digits.data(), static_cast<std::size_t>(length)};
}

}  // namespace nopal::detail
