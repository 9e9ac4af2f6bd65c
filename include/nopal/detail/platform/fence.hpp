// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/configuration.hpp"

namespace nopal::detail {

/// A sequentially consistent fence of a deque, between the store of one index and the load of the
/// other. ThreadSanitizer does not understand fences. Under it this does nothing, and the accesses
/// on both sides of it take the orders below instead.
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

/// Whether deques and pools made from now on rely on process_wide_fence(). It is set when the first
/// scheduler or pool is made.
extern constinit bool asymmetric_fences;

/// Sets asymmetric_fences, the first time. Later calls leave it as it is, since others may be
/// running.
/// \param allowed  if false, this does what it does on a kernel without membarrier(2).
void choose_fences(bool allowed) noexcept;

/// Registers this process for process_wide_fence(). Returns false if the kernel lacks it, or if
/// `allowed` is false (a test that wants to see the fallback). The owner's side must then fence for
/// itself.
bool register_process_wide_fence(bool allowed) noexcept;

/// Executes a full barrier on every running thread of this process, by expedited membarrier(2).
void process_wide_fence() noexcept;

/// Makes process_wide_fence() reach the threads of all processes that have called this as well.
/// Returns false if the kernel lacks that; nothing has changed then.
bool share_process_wide_fence() noexcept;

/// The thief executes this between its load of top and its load of bottom. Pairs with the compiler
/// barrier in the owner's pop.
inline void thief_fence() noexcept {
#if !NOPAL_TSAN
  process_wide_fence();
#endif
}

/// The fence of the side that pays; the other side has light_fence(). Without asymmetric fences
/// both are full fences.
inline void heavy_fence() noexcept {
  if (asymmetric_fences)
    thief_fence();
  else
    full_fence();
}

/// The fence of the side that does not pay.
NOPAL_ALWAYS_INLINE void light_fence() noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (!asymmetric_fences) [[unlikely]]
    full_fence();
}

}  // namespace nopal::detail
