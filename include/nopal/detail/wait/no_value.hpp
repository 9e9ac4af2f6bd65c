// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <type_traits>

namespace nopal::detail {

/// Returns what a call returns that a limit has ended, and that leaves an error.
template <class R>
R no_value() noexcept {
  if constexpr (std::is_void_v<R> || std::is_default_constructible_v<R>)
    return R();
  else
    std::terminate();  // such a call throws
}

}  // namespace nopal::detail
