// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nopal/detail/config.hpp"

namespace nopal::detail {

/// All that a strand needs to go on where it stopped: what a call preserves by the platform's calling convention, with
/// the floating-point control words. The offsets are known to the assembly in fork_call.hpp and src/platform/context.cpp.
struct context {
#if defined(__x86_64__)
  void* sp;                   // 0
  void* ip;                   // 8
  void* fp;                   // 16: rbp
  void* preserved[5];         // 24: rbx, r12, r13, r14, r15
  std::uint32_t mxcsr;        // 64
  std::uint32_t x87_control;  // 68
#elif defined(__aarch64__)
  void* sp;                 // 0
  void* ip;                 // 8
  void* fp;                 // 16: x29
  void* preserved[10];      // 24: x19 to x28
  double preserved_d[8];    // 104: d8 to d15
  std::uint64_t fpcr;        // 168: fpcr
#endif
};

/// The floating-point control words alone: rounding mode, masks of exceptions, treatment of denormal numbers.
#if defined(__x86_64__)
struct fp_control {
  std::uint32_t mxcsr;
  std::uint32_t x87;
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
inline void load_fp_control(const fp_control& c) noexcept { asm volatile("msr fpcr, %0" : : "r"(c.fpcr)); }
#endif

/// Those that are saved in a context.
inline fp_control fp_control_of(const context& c) noexcept {
#if defined(__x86_64__)
  return {c.mxcsr, c.x87_control};
#elif defined(__aarch64__)
  return {c.fpcr};
#endif
}

extern "C" {
/// Saves the caller's context and goes on with `to`. Returns when somebody goes on with `save`.
void nopal_context_switch(context* save, const context* to) noexcept;

/// As nopal_context_switch, but `to` goes on with the stack pointer `sp`: its frame stays where it is, its calls are made
/// on another stack.
void nopal_context_switch_to_stack(context* save, const context* to, void* sp) noexcept;

/// Saves the caller's context and calls entry(argument) on the stack that ends at `sp` (16-byte aligned). `entry` must not
/// return.
void nopal_context_call(context* save, void* sp, void (*entry)(void*), void* argument) noexcept;
}

}  // namespace nopal::detail
