// SPDX-License-Identifier: Apache-2.0
// This has mmap(2) itself: the function of that name is replaced in refused.cpp.
#pragma once

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace nopal::detail::mapped {

/// Calls mmap(2). If that fails it returns MAP_FAILED and sets errno, as the function does.
inline void* system_mmap(void* at, std::size_t bytes, int protection, int flags, int file,
                         std::uint64_t offset) noexcept {
  return reinterpret_cast<void*>(syscall(SYS_mmap, at, bytes, protection, flags, file, offset));
}

/// Asks for huge pages. The first touch of a page is a fault in each process, since each has page
/// tables of its own. A huge page is one fault instead of hundreds, if the system lets shared
/// memory have them.
inline void ask_for_huge_pages(void* at, std::size_t bytes) noexcept {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  if (bytes >= huge_page) madvise(at, bytes, MADV_HUGEPAGE);
}

/// Reserves addresses for shared memory, of which a page comes when it is touched. The memory is in
/// no core dump, for which the kernel would touch it all.
inline void* reserve_shared(std::size_t bytes) noexcept {
  void* p = system_mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return p;
  madvise(p, bytes, MADV_DONTDUMP);
  ask_for_huge_pages(p, bytes);
  return p;
}

}  // namespace nopal::detail::mapped
