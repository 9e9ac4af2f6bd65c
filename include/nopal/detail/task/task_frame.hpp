// SPDX-License-Identifier: Apache-2.0
// These are what lies before the frame of a task, and what a task leaves when it returns.
#pragma once

#include <cstdint>

#include "nopal/detail/strand/strand_words.hpp"
#include "nopal/detail/task/task_stack.hpp"

namespace nopal::detail {

/// The header that lies before each frame.
struct alignas(segmented_stack::alignment) frame_header {
  static constexpr std::uintptr_t begins_stacklet = 2;

  /// The stack that the frame lies on, a task_stack*. If bit 0 is set, the frame lies on the heap,
  /// and this is the stack on which it would have lain, if there is one. If bit 1 is set, the frame
  /// begins a stacklet, which goes with it.
  std::uintptr_t base;
  /// The stack for the frames of children. If bit 0 is set, the task's strand has stopped at a
  /// join, and this is its stopped_strand.
  std::uintptr_t children;

  /// Whether the frame lies on a stack, and begins no stacklet.
  [[nodiscard]] bool lies_plainly() const noexcept { return (base & 3) == 0; }
  [[nodiscard]] bool on_heap() const noexcept { return (base & 1) != 0; }
  [[nodiscard]] task_stack* base_stack() const noexcept {
    return reinterpret_cast<task_stack*>(base & ~std::uintptr_t{3});
  }
};

/// What a coroutine leaves on its thread when it returns to whoever has resumed it. It is 0, which
/// means nothing, if the coroutine ran within its parent and has ended there: the parent goes on.
/// Otherwise all coroutines return down to the base of the chain, which finds what to go on with:
/// the frame of a coroutine with bit 0 set, a stopped_strand*, or `chain_ends`.
using left_to_base = std::uintptr_t;
inline constexpr left_to_base chain_ends = 2;

NOPAL_ALWAYS_INLINE void leave_to_base(left_to_base w) noexcept {
  leave_word_of_strand(reinterpret_cast<void*>(w));
}

}  // namespace nopal::detail
