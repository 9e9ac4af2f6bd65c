// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace nopal::detail {

inline constexpr unsigned max_workers = 1024;
inline constexpr std::size_t min_stack_bytes = std::size_t{16} << 10;
inline constexpr std::size_t max_stack_bytes = std::size_t{1} << 30;

}  // namespace nopal::detail
