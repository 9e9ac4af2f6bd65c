// SPDX-License-Identifier: Apache-2.0
// The time that a thief waits for an owner's answer before it fences.
#pragma once

#include <chrono>

namespace nopal::detail {

/// Executes thief_fence(), and takes the time.
void timed_thief_fence() noexcept;

/// Returns what the last timed_thief_fence() took, of whatever thread: a thief waits no longer than
/// that for an answer. It is at most 20 microseconds, because what takes longer is not the fence:
/// the thread was stopped.
std::chrono::steady_clock::duration last_fence_took() noexcept;

}  // namespace nopal::detail
