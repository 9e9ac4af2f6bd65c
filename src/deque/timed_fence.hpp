// SPDX-License-Identifier: Apache-2.0
// How long a thief waits for an owner's answer before it fences.
#pragma once

#include <chrono>

namespace nopal::detail {

/// thief_fence(), whose time is taken.
void timed_thief_fence() noexcept;

/// What the last one took, of whatever thread: a thief waits no longer than that for an answer. At
/// most 20 microseconds, because what takes longer is not the fence: the thread was stopped.
std::chrono::steady_clock::duration last_fence_took() noexcept;

}  // namespace nopal::detail
