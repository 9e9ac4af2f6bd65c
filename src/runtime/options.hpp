// SPDX-License-Identifier: Apache-2.0
// These are the limits of the options of a runtime.
#pragma once

#include <cstddef>

#include "nopal/options.hpp"

namespace nopal::detail {

inline constexpr unsigned max_workers = 1024;
inline constexpr std::size_t min_stack_bytes = std::size_t{16} << 10;
inline constexpr std::size_t max_stack_bytes = std::size_t{1} << 30;

/// Returns the options, with stack_bytes rounded up to pages.
/// \throws std::invalid_argument naming what is out of range.
options checked(options o);

}  // namespace nopal::detail
