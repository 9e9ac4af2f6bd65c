// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/pool/chunk_node.hpp"

#include "nopal/detail/platform/fence.hpp"

namespace nopal::detail {

std::uint32_t index_of(const node_sight& n) noexcept {
  const chunk_node* at = n.node;
  std::uint64_t serial = n.serial;
  for (;;) {
    // Pairs with the stores in salsa::take() and salsa::settle().
    const std::uint32_t i = at->index.load(acquire_at_fence);
    // Pairs with chunk_node::set().
    const chunk_node* from = at->from.load(std::memory_order_acquire);
    // Pairs with chunk_node::set().
    const std::uint64_t from_serial = at->from_serial.load(std::memory_order_acquire);
    if (at->serial.load(std::memory_order_relaxed) == serial) {
      if (i != chunk_node::unresolved) return i;
      at = from;
      serial = from_serial;
      continue;
    }
    // The node is used for something else by now. So a later one, up to n or behind n, has an
    // index. This pairs with chunk_header::settle(), so that the index is seen if its node is not
    // behind n.
    if (at == n.node || n.chunk->settled.load(std::memory_order_acquire) > tag_of(n.word))
      return no_index;
    at = n.node;
    serial = n.serial;
  }
}

}  // namespace nopal::detail
