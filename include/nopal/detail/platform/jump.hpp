// SPDX-License-Identifier: Apache-2.0
// Whether coroutines hand over to each other by jumps.
#pragma once

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// Returns 1. A compiler that makes a jump of a call at the end of a function makes a loop of this
/// one, sees what the loop returns, and takes it for a constant. No other compiler does.
inline int one_by_tail_calls(int calls) noexcept {
  if (calls == 0) return 1;
  return one_by_tail_calls(calls - 1);
}

/// Whether a coroutine that hands its worker over to another one does so by a jump. clang promises
/// that. g++ decides by the optimization level and by options of which no macro tells, and never
/// does under sanitizers.
NOPAL_ALWAYS_INLINE bool hands_over_by_jump() noexcept {
#if defined(__clang__)
  return true;
#elif NOPAL_ASAN || NOPAL_TSAN
  return false;
#else
  const int one = one_by_tail_calls(100);
  return __builtin_constant_p(one);
#endif
}

}  // namespace nopal::detail
