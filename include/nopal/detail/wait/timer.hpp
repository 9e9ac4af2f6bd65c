// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nopal/detail/platform/list.hpp"

namespace nopal::detail {

class timers;

/// Something that happens at a moment. It lies beside what it happens to. docs/wait.md has the
/// protocol and its argument.
struct timer : list_links {
  explicit timer(void (*f)(timer&) noexcept) noexcept : expire(f) {}

  /// The thread of the timers calls this, without a lock, when the moment has come.
  void (*expire)(timer& t) noexcept;
  timers* in = nullptr;    ///< The timers, once this has been added.
  std::uint64_t due = 0;   ///< In ticks of the wheel.
  std::uint16_t slot = 0;  ///< The slot of the wheel that this is listed in.
};

}  // namespace nopal::detail
