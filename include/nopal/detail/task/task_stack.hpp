// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nopal/detail/strand/strand_state.hpp"
#include "nopal/detail/task/segmented_stack.hpp"

namespace nopal::detail {

/// The segmented stack of a strand of coroutines, and what a thief that goes on with one of them
/// begins with.
struct task_stack : segmented_stack {
  /// The state of the function that waits for the outermost task or, if nobody waits for it, the
  /// one that the task begins with.
  strand_state outside{};
  /// The worker on which the first child of the last task ended that was stolen here.
  worker* left_by = nullptr;
  /// The number of steals of its task until a thief took this stack.
  std::uint64_t segment = 0;
  task_stack* next = nullptr;  ///< The next of a thread's spare stacks.
};

/// Takes a spare stack of this thread, or makes a new one. Returns nullptr if there is no memory.
task_stack* take_task_stack() noexcept;

/// Keeps an empty stack for take_task_stack(), or frees it. Does nothing if `s` is nullptr.
void spare_task_stack(task_stack* s) noexcept;

}  // namespace nopal::detail
