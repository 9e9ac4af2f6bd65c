// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace nopal::detail {

/// A mapping for a stack: [begin, begin + guard) traps on access, [begin + guard, begin + guard +
/// usable) is memory.
struct stack_memory {
  std::byte* begin;
  std::size_t guard;
  std::size_t usable;
};

std::size_t page_size() noexcept;

/// Maps `usable` bytes, a multiple of the page size, and a guard below. Physical pages come on
/// touch. begin is nullptr where the system gives no more.
stack_memory map_stack_memory(std::size_t usable) noexcept;
void unmap_stack_memory(const stack_memory& m) noexcept;

/// Gives the pages of [begin, end) back, both page-aligned; they read as zero afterwards. `lazily`
/// leaves it to the kernel when (MADV_FREE). Returns the number of pages in the range.
std::size_t give_back(std::byte* begin, std::byte* end, bool lazily) noexcept;

/// The lowest page of [begin, end), both page-aligned, that is in memory; `end` where none is.
std::byte* lowest_resident(std::byte* begin, std::byte* end) noexcept;

/// Pages of [begin, end) that are in memory.
std::size_t resident_pages(std::byte* begin, std::byte* end) noexcept;

}  // namespace nopal::detail
