// SPDX-License-Identifier: Apache-2.0
// These are the two points at which a function that forks may go on on another thread and with
// another stack pointer.
//
// Each is, to the compiler, one opaque statement that is left once. What the compiler keeps in
// registers that calls preserve is saved in the context before the call, and loaded by whoever goes
// on. Every other register is declared lost. Locals stay in their frame and are addressed from the
// frame pointer. docs/fork.md says what this rests on and how it is checked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/lost_registers.hpp"
#include "nopal/detail/strand/strand.hpp"

#if defined(__APX_F__)
#error "nopal: fork_frame does not know the registers of APX; compile without -mapxf."
#include "nopal: see the error above"
#elif defined(__ARM_FEATURE_SVE)
#error "nopal: fork_frame does not know the registers of SVE; compile with -march=…+nosve."
#include "nopal: see the error above"
#endif

namespace nopal::detail {

/// A word that fork_call hands to the child in a register.
using word = std::uint64_t;
inline constexpr std::size_t words_in_registers = 5;

/// The child of a fork: forked(w0, w1, frame, w2, w3, w4). It returns to fork_call; or goes to the
/// scheduler and leaves it to a thief to go on behind fork_call.
using child_function = std::size_t (*)(word, word, suspension*, word, word, word);

/// Makes the compiler address the locals of the function that this is inlined into from the frame
/// pointer: a thief has another stack pointer. Using the frame's address is enough if all of the
/// frame has a fixed place. If locals are over-aligned or wide registers are spilled, the compiler
/// must believe that it cannot know its stack pointer. An alloca on a path that is never taken
/// makes it believe so, and so does a statement that claims to change the stack pointer. Neither
/// costs anything.
NOPAL_ALWAYS_INLINE void address_locals_from_frame_pointer() noexcept {
  asm volatile("" : : "r"(__builtin_frame_address(0)));
#if defined(__clang__) && defined(__x86_64__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Winline-asm"
// -fstack-clash-protection brings this warning, but nothing moves the stack pointer.
#pragma clang diagnostic ignored "-Wstack-protector"
  asm volatile("" : : : "rsp");
#pragma clang diagnostic pop
#else
  asm goto("" : : : : never);
  return;
never:
  std::size_t unknown;
  asm volatile("" : "=r"(unknown));
  asm volatile("" : : "r"(__builtin_alloca(unknown)) : "memory");
  __builtin_trap();
#endif
}

/// Makes the stack pointer at this point what it is everywhere between calls. Otherwise g++ removes
/// the arguments of earlier calls from the stack only after the next statement. A strand that goes
/// on elsewhere would remove them from another stack.
NOPAL_ALWAYS_INLINE void settle_stack_pointer() noexcept {
#if !defined(__clang__)
  asm goto("" : : : : next);
next:;
#endif
}

#if defined(__x86_64__)

// `frame` begins with a context, which a strand_state follows.
static_assert(sizeof(context) == 64 && offsetof(strand_state, x87_at_fork) == 24);

/// Saves the context of the function that this is inlined into and calls the child. Returns what
/// the child returns, or 0 on a thief. A strand that never leaves its thread pays for all that is
/// done here, so what can wait is left to the thief: MXCSR, whose reading is a tenth of the fork
/// (AMD EPYC). See strand_state::stolen().
NOPAL_ALWAYS_INLINE std::size_t fork_call(child_function child, word w0, word w1, suspension* frame,
                                          word w2, word w3, word w4) noexcept {
  register word r8 asm("r8") = w3;
  register word r9 asm("r9") = w4;
  std::size_t result;
  asm volatile(
      "movq %%rsp, 0(%[frame])\n\t"
      "movq %%rbp, 16(%[frame])\n\t"
      "movq %%rbx, 24(%[frame])\n\t"
      "movq %%r12, 32(%[frame])\n\t"
      "movq %%r13, 40(%[frame])\n\t"
      "movq %%r14, 48(%[frame])\n\t"
      "movq %%r15, 56(%[frame])\n\t"
      "fnstcw 88(%[frame])\n\t"
      // The return address would do if it lasted, but the child's end frees the stack that it is
      // on.
      "leaq 1f(%%rip), %%r10\n\t"
      "movq %%r10, 8(%[frame])\n\t"
      "call *%%rax\n\t"
      "1:\n\t"
      : "=a"(result), [frame] "+d"(frame), "+D"(w0), "+S"(w1), "+c"(w2), "+r"(r8), "+r"(r9)
      : "a"(child)
      : NOPAL_LOST_REGISTERS);
  return result;
}

/// Saves the context and calls leave(frame), which does not return. The function goes on behind the
/// call when somebody resumes the frame, with the stack pointer that is then in the context.
NOPAL_ALWAYS_INLINE void join_call(void (*leave)(suspension*), suspension* frame) noexcept {
  asm volatile(
      "movq %%rsp, 0(%[frame])\n\t"
      "leaq 1f(%%rip), %%r10\n\t"
      "movq %%r10, 8(%[frame])\n\t"
      "movq %%rbp, 16(%[frame])\n\t"
      "movq %%rbx, 24(%[frame])\n\t"
      "movq %%r12, 32(%[frame])\n\t"
      "movq %%r13, 40(%[frame])\n\t"
      "movq %%r14, 48(%[frame])\n\t"
      "movq %%r15, 56(%[frame])\n\t"
      "call *%%rax\n\t"
      "1:\n\t"
      : "+a"(leave), [frame] "+D"(frame)
      :
      : "rcx", "rdx", "rsi", "r8", "r9", NOPAL_LOST_REGISTERS);
}

#elif defined(__aarch64__)

// `frame` begins with a context, which a strand_state follows, aligned to 16 bytes.
static_assert(sizeof(context) == 168 && offsetof(strand_state, fp) == 16);

// Calls preserve d8 to d15, but not all of v8 to v15, of which these are a part. So the vectors are
// declared lost. The function itself keeps them for its caller, and they need not be saved here.
// clang-format off
#define NOPAL_SAVE_CONTEXT(frame)           \
  "stp x19, x20, [" frame ", #24]\n\t"      \
  "stp x21, x22, [" frame ", #40]\n\t"      \
  "stp x23, x24, [" frame ", #56]\n\t"      \
  "stp x25, x26, [" frame ", #72]\n\t"      \
  "stp x27, x28, [" frame ", #88]\n\t"      \
  "mrs x8, fpcr\n\t"                        \
  "str x8, [" frame ", #192]\n\t"           \
  "str x29, [" frame ", #16]\n\t"           \
  "adr x8, 1f\n\t"                          \
  "str x8, [" frame ", #8]\n\t"
// clang-format on

/// Does the same as above, for AArch64.
NOPAL_ALWAYS_INLINE std::size_t fork_call(child_function child, word w0, word w1, suspension* frame,
                                          word w2, word w3, word w4) noexcept {
  register word x0 asm("x0") = w0;
  register word x1 asm("x1") = w1;
  register suspension* x2 asm("x2") = frame;
  register word x3 asm("x3") = w2;
  register word x4 asm("x4") = w3;
  register word x5 asm("x5") = w4;
  register child_function x6 asm("x6") = child;
  asm volatile(
      "mov x8, sp\n\t"
      "str x8, [x2, #0]\n\t"
      NOPAL_SAVE_CONTEXT("x2")
      "blr x6\n\t"
      "1:\n\t"
      : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x3), "+r"(x4), "+r"(x5), "+r"(x6)
      :
      : "x7", NOPAL_LOST_REGISTERS);
  return x0;
}

/// Does the same as above, for AArch64.
NOPAL_ALWAYS_INLINE void join_call(void (*leave)(suspension*), suspension* frame) noexcept {
  register suspension* x0 asm("x0") = frame;
  register void (*x2)(suspension*) asm("x2") = leave;
  asm volatile(
      "mov x8, sp\n\t"
      "str x8, [x0, #0]\n\t"
      NOPAL_SAVE_CONTEXT("x0")
      "blr x2\n\t"
      "1:\n\t"
      : "+r"(x0), "+r"(x2)
      :
      : "x1", "x3", "x4", "x5", "x6", "x7", NOPAL_LOST_REGISTERS);
}

#undef NOPAL_SAVE_CONTEXT
#endif

}  // namespace nopal::detail
