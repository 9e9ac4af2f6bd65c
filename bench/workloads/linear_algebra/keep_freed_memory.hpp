// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace nopal_bench {

/// For workloads that allocate in their timed part: the allocator shall keep what is freed, and not
/// return it to the kernel only to have the same pages cleared again. Else the kernel's part of the
/// time would be the larger the more CPUs there are, for every library.
inline void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int largest_threshold = 32 << 20;  // that the allocator accepts
  constexpr int never = 0x7fffffff;
  mallopt(M_MMAP_THRESHOLD, largest_threshold);
  mallopt(M_TRIM_THRESHOLD, never);
#endif
}

}  // namespace nopal_bench
