// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "nopal/detail/config.hpp"

namespace nopal::detail {

/// A sequentially consistent fence of a deque: between the store of one index and the load of the
/// other. ThreadSanitizer does not understand fences; there it is nothing, and the accesses on both
/// sides of it take these orders instead.
NOPAL_ALWAYS_INLINE void full_fence() noexcept {
#if !NOPAL_TSAN
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

inline constexpr std::memory_order relaxed_at_fence =
    NOPAL_TSAN ? std::memory_order_seq_cst : std::memory_order_relaxed;
inline constexpr std::memory_order release_at_fence =
    NOPAL_TSAN ? std::memory_order_seq_cst : std::memory_order_release;
inline constexpr std::memory_order acquire_at_fence =
    NOPAL_TSAN ? std::memory_order_seq_cst : std::memory_order_acquire;

}  // namespace nopal::detail
