// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/pool/chunk.hpp"

namespace nopal::detail {

/// A chunk's place in the list of a consumer, and the number of its elements taken there. A node is
/// valid while the chunk's owner is that of `word`, which never changes during a life of the node.
///
/// Nodes are used again, by the writer of the list that they are in, and never given back before
/// the pool ends. `serial` says which life it is; 0 is none. Whoever looks at a node without being
/// its writer reads `serial`, then what it wants, then `serial` again. All that is written while
/// serial is 0 is written with release and read with acquire. So whoever sees anything of the next
/// life sees that the last one is over.
struct alignas(cache_line) chunk_node {
  static constexpr std::uint32_t unresolved = ~std::uint32_t{0};

  std::atomic<std::uint64_t> serial{0};
  std::atomic<owner_word> word{0};
  std::atomic<chunk_header*> chunk{nullptr};
  /// The slots below the index are taken, or being taken. Only the list's consumer writes it while
  /// the node is in the list. If it is `unresolved`, the index is that of `from`.
  std::atomic<std::uint32_t> index{0};
  /// The node that the chunk was stolen through.
  std::atomic<const chunk_node*> from{nullptr};
  std::atomic<std::uint64_t> from_serial{0};
  std::atomic<chunk_node*> next{nullptr};

  /// Begins a life of the node, before its writer appends it to a list. The node is then that of a
  /// chunk and its owner. If the chunk was stolen, the node knows through which other node.
  void set(chunk_header* c, owner_word w, std::uint32_t i, const chunk_node* stolen_from,
           std::uint64_t its_serial) noexcept {
    // All pair with the acquire loads in node_list::next() and index_of().
    word.store(w, std::memory_order_release);
    chunk.store(c, std::memory_order_release);
    index.store(i, std::memory_order_release);
    from.store(stolen_from, std::memory_order_release);
    from_serial.store(its_serial, std::memory_order_release);
  }
};

/// A node as somebody saw it in a list.
struct node_sight {
  chunk_node* node = nullptr;
  std::uint64_t serial = 0;
  owner_word word = 0;
  chunk_header* chunk = nullptr;

  /// The owner is loaded with acquire: what is read of the chunk afterwards is of the life that the
  /// word belongs to, or of a later one.
  [[nodiscard]] bool is_valid() const noexcept {
    // Pairs with the stores and compare-and-swaps of the owner.
    return same_owner(chunk->owner.load(std::memory_order_acquire), word);
  }
};

/// index_of() returns this if there is no index any more.
inline constexpr std::uint32_t no_index = chunk_node::unresolved;

/// Returns the index of a node. If the node has none yet, that is the index of the node that the
/// chunk was stolen through, and so on. Returns no_index if the owner word is over and a later one
/// has an index. Lock-free: it begins anew only if a node in the chain has got an index meanwhile.
std::uint32_t index_of(const node_sight& n) noexcept;

}  // namespace nopal::detail
