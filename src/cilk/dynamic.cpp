// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/cilk/dynamic.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

/// Lies before the variable, in the same block.
struct links {
  void* older;
  void* block;
};

}  // namespace

void* nopal_cilk_allocate(void** newest, std::size_t bytes, std::size_t align) noexcept {
  align = std::max(align, alignof(links));
  const std::size_t before = (sizeof(links) + align - 1) / align * align;
  void* block = nullptr;
  if (bytes > SIZE_MAX - before || posix_memalign(&block, align, before + bytes) != 0) {
    std::fprintf(stderr, "nopal: no memory for an array of %zu bytes in a function that spawns\n",
                 bytes);
    std::abort();
  }
  void* variable = static_cast<std::byte*>(block) + before;
  static_cast<links*>(variable)[-1] = {*newest, block};
  *newest = variable;
  return variable;
}

void nopal_cilk_free_until(void** newest, void* end) noexcept {
  while (*newest != end) {
    const links l = static_cast<links*>(*newest)[-1];
    *newest = l.older;
    std::free(l.block);
  }
}
