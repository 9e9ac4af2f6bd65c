// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "nopal/detail/config.hpp"

namespace nopal::detail {

/// Whether deques made from now on rely on process_wide_fence(). Set when a scheduler is made, before its deques are.
extern constinit bool asymmetric_fences;

/// A full barrier on every running thread of this process, by private expedited membarrier(2).
void process_wide_fence() noexcept;

/// Between the thief's load of top and its load of bottom. Pairs with the compiler barrier in the owner's pop.
inline void thief_fence() noexcept {
#if !NOPAL_TSAN
  process_wide_fence();
#endif
}

}  // namespace nopal::detail
