// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "nopal/async/countdown.hpp"
#include "nopal/c/countdown.h"

namespace nopal::detail {

/// Returns what nopal_countdown_init() has made there.
inline countdown& c_countdown_in(nopal_countdown* c) noexcept {
  return *std::launder(reinterpret_cast<countdown*>(c));
}

}  // namespace nopal::detail
