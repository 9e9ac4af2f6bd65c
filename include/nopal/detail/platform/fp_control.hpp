// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// The floating-point control words: rounding mode, masks of exceptions, treatment of denormal
/// numbers. A strand that goes on elsewhere takes its own with it, by the two functions below.
#if defined(__x86_64__)
struct fp_control {
  std::uint32_t mxcsr;
  std::uint32_t x87;  ///< 16 bits.
};
inline fp_control current_fp_control() noexcept {
  std::uint32_t mxcsr;
  std::uint16_t x87;  // a load that is wider than the store before it has to wait for that
  asm volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(mxcsr), "=m"(x87));
  return {mxcsr, x87};
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

}  // namespace nopal::detail
