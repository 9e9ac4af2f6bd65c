// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

/// Registers this process for process_wide_fence(). False where the kernel lacks it, or where
/// `allowed` is false (a test that wants to see the fallback); the owner's side must then fence for
/// itself.
bool register_process_wide_fence(bool allowed) noexcept;

}  // namespace nopal::detail
