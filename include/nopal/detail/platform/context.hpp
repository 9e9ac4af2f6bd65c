// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// The registers that a strand needs to go on where it stopped: those that a call preserves by the
/// platform's calling convention. What else moves with a strand is in strand_state. The offsets are
/// known to the assembly in fork_call.hpp and src/platform/context.cpp.
struct context {
#if defined(__x86_64__)
  void* sp;            // 0
  void* ip;            // 8
  void* fp;            // 16: rbp
  void* preserved[5];  // 24: rbx, r12, r13, r14, r15
#elif defined(__aarch64__)
  void* sp;               // 0
  void* ip;               // 8
  void* fp;               // 16: x29
  void* preserved[10];    // 24: x19 to x28
  double preserved_d[8];  // 104: d8 to d15
#endif
};

extern "C" {
/// Saves the caller's context and goes on with `to`. Returns when somebody goes on with `save`.
void nopal_context_switch(context* save, const context* to) noexcept;

/// Does what nopal_context_switch does, but `to` goes on with the stack pointer `sp`: its frame
/// stays where it is, its calls are made on another stack.
void nopal_context_switch_to_stack(context* save, const context* to, void* sp) noexcept;

/// Saves the caller's context and calls entry(argument) on the stack that ends at `sp` (16-byte
/// aligned). `entry` must not return.
void nopal_context_call(context* save, void* sp, void (*entry)(void*), void* argument) noexcept;
}

}  // namespace nopal::detail
