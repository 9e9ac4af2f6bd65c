// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "nopal/detail/config.hpp"
#include "nopal/detail/full_fence.hpp"

namespace nopal::detail {

/// Whether deques and pools made from now on rely on process_wide_fence(). Set when the first
/// scheduler or pool is made.
extern constinit bool asymmetric_fences;

/// Sets it, the first time; later ones may only find it as it is, since others may be running.
/// \param allowed  false: as on a kernel without membarrier(2).
void choose_fences(bool allowed) noexcept;

/// A full barrier on every running thread of this process, by private expedited membarrier(2).
void process_wide_fence() noexcept;

/// Between the thief's load of top and its load of bottom. Pairs with the compiler barrier in the
/// owner's pop.
inline void thief_fence() noexcept {
#if !NOPAL_TSAN
  process_wide_fence();
#endif
}

/// The side that pays, where the other has a compiler barrier, and, without asymmetric fences, a
/// full fence.
inline void heavy_fence() noexcept {
  if (asymmetric_fences)
    thief_fence();
  else
    full_fence();
}

/// The side that does not.
NOPAL_ALWAYS_INLINE void light_fence() noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (!asymmetric_fences) [[unlikely]]
    full_fence();
}

}  // namespace nopal::detail
