// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// The floating-point control words: rounding mode, masks of exceptions, treatment of denormal
/// numbers.
#if defined(__x86_64__)
struct fp_control {
  std::uint32_t mxcsr;
  std::uint32_t x87;  ///< 16 bits.
};
inline fp_control current_fp_control() noexcept {
  fp_control c{};
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(c.mxcsr), "+m"(c.x87));
  return c;
}
inline void load_fp_control(const fp_control& c) noexcept {
  asm volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(c.mxcsr), "m"(c.x87));
}
#elif defined(__aarch64__)
struct fp_control {
  std::uint64_t fpcr;
};
inline fp_control current_fp_control() noexcept {
  fp_control c;
  asm volatile("mrs %0, fpcr" : "=r"(c.fpcr));
  return c;
}
inline void load_fp_control(const fp_control& c) noexcept {
  asm volatile("msr fpcr, %0" : : "r"(c.fpcr));
}
#endif

/// All that a strand needs to go on where it stopped: what a call preserves by the platform's
/// calling convention, with the floating-point control words. The offsets are known to the assembly
/// in fork_call.hpp and src/platform/context.cpp.
struct context {
#if defined(__x86_64__)
  void* sp;                   // 0
  void* ip;                   // 8
  void* fp;                   // 16: rbp
  void* preserved[5];         // 24: rbx, r12, r13, r14, r15
  fp_control control;         // 64
  std::uint32_t x87_at_fork;  // 72: see make_exact()
#elif defined(__aarch64__)
  void* sp;               // 0
  void* ip;               // 8
  void* fp;               // 16: x29
  void* preserved[10];    // 24: x19 to x28
  double preserved_d[8];  // 104: d8 to d15
  fp_control control;     // 168
#endif
};

/// MXCSR takes long to read. So a fork notes x87's control word and, in `control`, the words with
/// which its strand began or last went on; and the thief makes `control` what it was at the fork.
/// What <cfenv> sets since, rounding mode and masks, it sets in both. What is set in MXCSR alone is
/// lost: how denormal numbers are treated, and flags.
#if defined(__x86_64__)
inline void make_exact(context& c) noexcept {
  constexpr std::uint32_t masks = 0x003f;
  constexpr std::uint32_t rounding = 0x0c00;
  constexpr unsigned masks_in_mxcsr = 7;  // to the left
  constexpr unsigned rounding_in_mxcsr = 3;
  const std::uint32_t now = c.x87_at_fork & 0xffff;
  const std::uint32_t changed = now ^ c.control.x87;
  const std::uint32_t in_mxcsr = (changed & masks) << masks_in_mxcsr | (changed & rounding)
                                                                           << rounding_in_mxcsr;
  const std::uint32_t new_bits = (now & masks) << masks_in_mxcsr | (now & rounding)
                                                                       << rounding_in_mxcsr;
  c.control = {(c.control.mxcsr & ~in_mxcsr) | (new_bits & in_mxcsr), now};
}
#elif defined(__aarch64__)
inline void make_exact(context& /*c*/) noexcept {}  // FPCR is read at the fork
#endif

extern "C" {
/// Saves the caller's context and goes on with `to`. Returns when somebody goes on with `save`.
void nopal_context_switch(context* save, const context* to) noexcept;

/// As nopal_context_switch, but `to` goes on with the stack pointer `sp`: its frame stays where it
/// is, its calls are made on another stack.
void nopal_context_switch_to_stack(context* save, const context* to, void* sp) noexcept;

/// Saves the caller's context and calls entry(argument) on the stack that ends at `sp` (16-byte
/// aligned). `entry` must not return.
void nopal_context_call(context* save, void* sp, void (*entry)(void*), void* argument) noexcept;
}

}  // namespace nopal::detail
