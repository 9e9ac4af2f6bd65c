// SPDX-License-Identifier: Apache-2.0
// The two points at which a function that forks may go on on another thread and with another stack pointer.
//
// To the compiler each is one opaque statement that is left once. What it keeps in registers that calls preserve is saved
// in the context before the call and loaded by whoever goes on; every other register is declared lost; locals stay in their
// frame and are addressed from the frame pointer. docs/fork_frame.md says what this rests on and how it is checked.
#pragma once

#include <cstddef>

#include "nopal/detail/config.hpp"
#include "nopal/detail/context.hpp"

#if defined(__x86_64__)
#if defined(__AVX512F__)
#define NOPAL_LOST_VECTORS                                                                                            \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", \
      "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25",     \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k1", "k2", "k3", "k4", "k5", "k6", "k7"
#else
#define NOPAL_LOST_VECTORS                                                                                            \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", \
      "xmm14", "xmm15"
#endif
#define NOPAL_LOST_REGISTERS "rcx", "r8", "r9", "r10", "r11", NOPAL_LOST_VECTORS, "memory", "cc"
#elif defined(__aarch64__)
#define NOPAL_LOST_REGISTERS                                                                                         \
  "x3", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x30", "v0",     \
      "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", \
      "v26", "v27", "v28", "v29", "v30", "v31", "memory", "cc"
#endif

namespace nopal::detail {

#if defined(__x86_64__)

/// Saves the context of the function that this is inlined into and calls child(argument), which returns here, or goes to
/// the scheduler and leaves it to a thief to go on here. The value is the child's, or 0 on a thief.
NOPAL_ALWAYS_INLINE std::size_t fork_call(context* c, std::size_t (*child)(void*), void* argument) noexcept {
  std::size_t result;
  asm volatile(
      "movq %%rsp, 0(%[c])\n\t"
      "movq %%rbp, 16(%[c])\n\t"
      "movq %%rbx, 24(%[c])\n\t"
      "movq %%r12, 32(%[c])\n\t"
      "movq %%r13, 40(%[c])\n\t"
      "movq %%r14, 48(%[c])\n\t"
      "movq %%r15, 56(%[c])\n\t"
      "stmxcsr 64(%[c])\n\t"
      "fnstcw 68(%[c])\n\t"
      "call *%[child]\n\t"  // the return address, just below sp, is where a thief goes on
      : "=a"(result), [c] "+&d"(c), "+D"(argument), [child] "+S"(child)
      :
      : NOPAL_LOST_REGISTERS);
  return result;
}

inline void* resume_address(const context& c) noexcept { return static_cast<void**>(c.sp)[-1]; }

/// Saves the context, with the stack pointer raised by `to_home`, and calls leave(argument), which does not return. Goes on
/// behind it when somebody resumes the context.
NOPAL_ALWAYS_INLINE void join_call(context* c, std::ptrdiff_t to_home, void (*leave)(void*), void* argument) noexcept {
  asm volatile(
      "addq %%rsp, %%rax\n\t"
      "movq %%rax, 0(%[c])\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "movq %%rax, 8(%[c])\n\t"
      "movq %%rbp, 16(%[c])\n\t"
      "movq %%rbx, 24(%[c])\n\t"
      "movq %%r12, 32(%[c])\n\t"
      "movq %%r13, 40(%[c])\n\t"
      "movq %%r14, 48(%[c])\n\t"
      "movq %%r15, 56(%[c])\n\t"
      "stmxcsr 64(%[c])\n\t"
      "fnstcw 68(%[c])\n\t"
      "call *%[leave]\n\t"
      "1:\n\t"
      : "+a"(to_home), [c] "+&d"(c), "+D"(argument), [leave] "+S"(leave)
      :
      : NOPAL_LOST_REGISTERS);
}

#elif defined(__aarch64__)

#define NOPAL_SAVE_CONTEXT              \
  "stp x19, x20, [x2, #24]\n\t"         \
  "stp x21, x22, [x2, #40]\n\t"         \
  "stp x23, x24, [x2, #56]\n\t"         \
  "stp x25, x26, [x2, #72]\n\t"         \
  "stp x27, x28, [x2, #88]\n\t"         \
  "stp d8, d9, [x2, #104]\n\t"          \
  "stp d10, d11, [x2, #120]\n\t"        \
  "stp d12, d13, [x2, #136]\n\t"        \
  "stp d14, d15, [x2, #152]\n\t"        \
  "mrs x3, fpcr\n\t"                    \
  "str x3, [x2, #168]\n\t"              \
  "str x29, [x2, #16]\n\t"              \
  "adr x3, 1f\n\t"                      \
  "str x3, [x2, #8]\n\t"

NOPAL_ALWAYS_INLINE std::size_t fork_call(context* c, std::size_t (*child)(void*), void* argument) noexcept {
  register void* x0 asm("x0") = argument;
  register std::size_t (*x1)(void*) asm("x1") = child;
  register context* x2 asm("x2") = c;
  asm volatile(
      "mov x3, sp\n\t"
      "str x3, [x2, #0]\n\t"
      NOPAL_SAVE_CONTEXT
      "blr x1\n\t"
      "1:\n\t"
      : "+r"(x0), "+r"(x1), "+r"(x2)
      :
      : "x4", NOPAL_LOST_REGISTERS);
  return reinterpret_cast<std::size_t>(x0);
}

inline void* resume_address(const context& c) noexcept { return c.ip; }

NOPAL_ALWAYS_INLINE void join_call(context* c, std::ptrdiff_t to_home, void (*leave)(void*), void* argument) noexcept {
  register void* x0 asm("x0") = argument;
  register void (*x1)(void*) asm("x1") = leave;
  register context* x2 asm("x2") = c;
  register std::ptrdiff_t x4 asm("x4") = to_home;
  asm volatile(
      "mov x3, sp\n\t"
      "add x3, x3, x4\n\t"
      "str x3, [x2, #0]\n\t"
      NOPAL_SAVE_CONTEXT
      "blr x1\n\t"
      "1:\n\t"
      : "+r"(x0), "+r"(x1), "+r"(x2), "+r"(x4)
      :
      : NOPAL_LOST_REGISTERS);
}

#undef NOPAL_SAVE_CONTEXT
#endif

#undef NOPAL_LOST_REGISTERS
#undef NOPAL_LOST_VECTORS

}  // namespace nopal::detail
