// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

/// Returns a number that changes in a child of fork(2), where the threads of the parent do not
/// exist: what was started before belongs to another process.
unsigned process_generation() noexcept;

}  // namespace nopal::detail
