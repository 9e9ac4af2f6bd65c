// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace nopal::detail {

/// A mapping for a stack: [begin, begin + guard) traps on access, [begin + guard, begin + guard +
/// usable) is memory. If there is a file, it is the memory of the file, from `offset` on.
struct stack_memory {
  std::byte* begin;
  std::size_t guard;
  std::size_t usable;
  int file = -1;
  std::uint64_t offset = 0;

  /// Returns the offset in the file of an address in the memory.
  [[nodiscard]] std::uint64_t offset_of(const std::byte* p) const noexcept {
    return offset + static_cast<std::uint64_t>(p - begin - guard);
  }
};

std::size_t page_size() noexcept;

/// Maps `usable` bytes, a multiple of the page size, and a guard below. Physical pages come on
/// touch. begin is nullptr if the system gives no more.
stack_memory map_stack_memory(std::size_t usable) noexcept;
void unmap_stack_memory(const stack_memory& m) noexcept;

/// Gives the pages of [begin, end) of `m` back, both page-aligned; they read as zero afterwards.
/// `lazily` leaves the moment to the kernel (MADV_FREE), unless the memory is that of a file: the
/// file gets a hole, at once, for all that have mapped it. Returns the number of pages in the
/// range; 0 if the system keeps them, as it keeps locked ones (mlockall(2)).
std::size_t give_back(const stack_memory& m, std::byte* begin, std::byte* end,
                      bool lazily) noexcept;

/// The lowest page of [begin, end) of `m`, both page-aligned, that is in memory; `end` if none is.
std::byte* lowest_resident(const stack_memory& m, std::byte* begin, std::byte* end) noexcept;

/// The number of pages of [begin, end) of `m` that are in memory.
std::size_t resident_pages(const stack_memory& m, std::byte* begin, std::byte* end) noexcept;

}  // namespace nopal::detail
