// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace nopal_bench {

/// Makes the allocator keep what is freed, for workloads that allocate in their timed part.
/// Otherwise it would return memory to the kernel only to have the same pages cleared again, and
/// the kernel's part of the time would grow with the number of CPUs, for every library.
inline void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int largest_threshold = 32 << 20;  // the largest that the allocator accepts
  constexpr int never = 0x7fffffff;
  mallopt(M_MMAP_THRESHOLD, largest_threshold);
  mallopt(M_TRIM_THRESHOLD, never);
#endif
}

}  // namespace nopal_bench
