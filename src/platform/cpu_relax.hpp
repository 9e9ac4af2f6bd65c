// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

/// Tells the processor that this is a loop that waits.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace nopal::detail
