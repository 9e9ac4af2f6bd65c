// SPDX-License-Identifier: Apache-2.0
#include "platform/stack_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace nopal::detail {
namespace {

// Linux 6.13, asm-generic/mman-common.h; the C library's headers may be older.
constexpr int madv_guard_install = 102;

/// Whether a guard can be had without splitting the mapping (vm.max_map_count bounds the number of
/// mappings: with mprotect each stack costs two). Emulators accept advice that they do not carry
/// out, so the guard is tried: write(2) from it must fail with EFAULT.
bool guards_without_splitting() noexcept {
  static const bool can = [] {
    const std::size_t page = page_size();
    void* p = mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return false;
    bool guarded = false;
    std::array<int, 2> pipe_ends{};
    if (madvise(p, page, madv_guard_install) == 0 && pipe(pipe_ends.data()) == 0) {
      guarded = write(pipe_ends[1], p, 1) < 0 && errno == EFAULT;
      close(pipe_ends[0]);
      close(pipe_ends[1]);
    }
    munmap(p, page);
    return guarded;
  }();
  return can;
}

/// Calls f for each page in memory until it returns false. If the kernel does not say, each is
/// taken to be in memory.
template <class F>
void for_each_residency(std::byte* begin, std::byte* end, F&& f) noexcept {
  const std::size_t page = page_size();
  std::array<unsigned char, 512> in_memory;
  for (std::byte* p = begin; p < end;) {
    const std::size_t pages = std::min(static_cast<std::size_t>(end - p) / page, in_memory.size());
    const bool known = mincore(p, pages * page, in_memory.data()) == 0;
    for (std::size_t i = 0; i < pages; ++i)
      if ((!known || (in_memory[i] & 1) != 0) && !f(p + i * page)) return;
    p += pages * page;
  }
}

/// Returns the first address where a file in memory has no hole, or `end`. Moves the file's
/// position, which nobody uses.
std::byte* first_data(const stack_memory& m, std::byte* begin, std::byte* end) noexcept {
  const off_t from = static_cast<off_t>(m.offset_of(begin));
  const off_t at = lseek(m.file, from, SEEK_DATA);
  return at < from || at - from >= end - begin ? end : begin + (at - from);
}

}  // namespace

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

stack_memory map_stack_memory(std::size_t usable) noexcept {
  // A function with a large frame touches its far end first; one page would be stepped over.
  const std::size_t guard = std::max<std::size_t>(page_size(), 64 << 10);
  // MAP_STACK also keeps transparent huge pages away: a stack would take 2 MiB at its first touch.
  void* p = mmap(nullptr, guard + usable, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (p == MAP_FAILED) return {nullptr, 0, 0};
  // The kernel refuses the advice for memory that is locked, which mlockall(2) can make of any.
  const bool guarded = (guards_without_splitting() && madvise(p, guard, madv_guard_install) == 0) ||
                       mprotect(p, guard, PROT_NONE) == 0;
  const stack_memory m{static_cast<std::byte*>(p), guard, usable};
  if (guarded) return m;
  unmap_stack_memory(m);
  return {nullptr, 0, 0};
}

void unmap_stack_memory(const stack_memory& m) noexcept { munmap(m.begin, m.guard + m.usable); }

std::size_t give_back(const stack_memory& m, std::byte* begin, std::byte* end,
                      bool lazily) noexcept {
  if (begin >= end) return 0;
  const auto bytes = static_cast<std::size_t>(end - begin);
  const auto advised = [&](int advice) { return madvise(begin, bytes, advice) == 0; };
  bool given = false;
  if (m.file >= 0)
    given = fallocate(m.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                      static_cast<off_t>(m.offset_of(begin)), static_cast<off_t>(bytes)) == 0;
  else
    given = (lazily && advised(MADV_FREE)) || advised(MADV_DONTNEED);
  return given ? bytes / page_size() : 0;
}

std::byte* lowest_resident(const stack_memory& m, std::byte* begin, std::byte* end) noexcept {
  if (m.file >= 0) return begin < end ? first_data(m, begin, end) : end;
  std::byte* lowest = end;
  for_each_residency(begin, end, [&](std::byte* p) {
    lowest = p;
    return false;
  });
  return lowest;
}

std::size_t resident_pages(const stack_memory& m, std::byte* begin, std::byte* end) noexcept {
  std::size_t pages = 0;
  if (m.file >= 0) {
    while ((begin = lowest_resident(m, begin, end)) < end) {
      ++pages;
      begin += page_size();
    }
    return pages;
  }
  for_each_residency(begin, end, [&](std::byte*) { return ++pages, true; });
  return pages;
}

}  // namespace nopal::detail
