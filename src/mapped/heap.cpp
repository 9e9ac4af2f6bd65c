// SPDX-License-Identifier: Apache-2.0
#include <mimalloc.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "mapped/program.hpp"
#include "mapped/refused.hpp"
#include "mapped/system.hpp"
#include "platform/stack_memory.hpp"

namespace nopal::detail::mapped {
namespace {

/// The size of mimalloc's segments, to which an arena is aligned.
constexpr std::size_t segment = std::size_t{64} << 20;

/// Keeps mimalloc from giving memory back. It would do so by madvise(2), which only takes shared
/// memory from the page table of one process.
[[gnu::constructor]] void keep_memory() {
  mi_option_set(mi_option_allow_decommit, 0);
  mi_option_set(mi_option_page_reset, 0);
}

}  // namespace

void take_part_of_heap() noexcept { mi_thread_init(); }

void share_heap() {
  void* const ours = std::calloc(1, 64);
  const bool is_mimalloc = mi_is_in_heap_region(ours);
  std::free(ours);
  if (!is_mimalloc)
    throw std::logic_error(
        "nopal: in this program malloc is not mimalloc's, which the mapped runtime needs. Link the "
        "target nopal::mapped before other allocators");
  const auto memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page_size();
  const std::size_t bytes = (memory / segment + 1) * segment;
  void* p = reserve_shared(bytes + segment);
  if (p == MAP_FAILED)
    throw std::system_error(errno, std::system_category(),
                            "nopal: no addresses for the shared heap");
  const auto begin = (reinterpret_cast<std::uintptr_t>(p) + segment - 1) / segment * segment;
  constexpr bool committed = true;
  constexpr bool large_pages = false;
  constexpr bool zero = true;
  constexpr int any_numa_node = -1;
  if (!mi_manage_os_memory(reinterpret_cast<void*>(begin), bytes, committed, large_pages, zero,
                           any_numa_node))
    throw std::logic_error("nopal: mimalloc does not take the memory of the shared heap");
  mi_option_set(mi_option_limit_os_alloc, 1);
  map_anonymous_memory_in_advance(bytes);
}

}  // namespace nopal::detail::mapped
