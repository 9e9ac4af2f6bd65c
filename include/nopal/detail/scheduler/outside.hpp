// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace nopal::detail {

/// The seam to the component that submits strands when something has happened outside of the
/// process: input and output. nullptr until some call has to wait.
///
/// A searcher calls it on its scheduler stack, the last time before it goes to sleep. It does not
/// wait, and returns whether it may have submitted something.
extern std::atomic<bool (*)(bool before_sleep) noexcept> ask_outside;

}  // namespace nopal::detail
