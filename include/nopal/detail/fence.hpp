// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "nopal/detail/config.hpp"

namespace nopal::detail {

/// Chosen once, before the first worker starts: true where the kernel has private expedited membarrier(2).
extern constinit bool asymmetric_fences;

/// The thief's side for kernels that have it: a full barrier on every running thread of this process.
void process_wide_fence() noexcept;

/// Between the owner's store of bottom and its load of top. Pairs with thief_fence().
NOPAL_ALWAYS_INLINE void owner_fence() noexcept {
#if !NOPAL_TSAN
  if (asymmetric_fences) [[likely]]
    std::atomic_signal_fence(std::memory_order_seq_cst);
  else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

/// Between the thief's load of top and its load of bottom. Pairs with owner_fence().
inline void thief_fence() noexcept {
#if !NOPAL_TSAN
  if (asymmetric_fences)
    process_wide_fence();
  else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace nopal::detail
