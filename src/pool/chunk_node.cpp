// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/pool/chunk_node.hpp"

#include "nopal/detail/full_fence.hpp"

namespace nopal::detail {

std::uint32_t index_of(const chunk_node* n, std::uint64_t serial) noexcept {
  const chunk_node* at = n;
  std::uint64_t life = serial;
  for (;;) {
    const std::uint32_t i = at->index.load(acquire_at_fence);  // pairs with the stores in salsa::take() and salsa::steal()
    const chunk_node* from = at->from.load(std::memory_order_acquire);                   // pairs with chunk_node::set()
    const std::uint64_t from_serial = at->from_serial.load(std::memory_order_acquire);  // pairs with chunk_node::set()
    if (at->serial.load(std::memory_order_relaxed) == life) {
      if (i != chunk_node::unresolved) return i;
      at = from;
      life = from_serial;
    } else if (at == n) {
      return no_index;
    } else {
      at = n;
      life = serial;
    }
  }
}

}  // namespace nopal::detail
