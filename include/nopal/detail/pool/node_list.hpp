// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/pool/chunk_node.hpp"

namespace nopal::detail {

/// The chunks that one writer has brought to one consumer, ordered by age. The list has a single
/// writer, which appends and removes, and any number of readers, which need no protection: see
/// chunk_node.
///
/// A reader either passes every node that is in the list during the whole read, or finds that the
/// list was disturbed.
class node_list {
 public:
  node_list();
  ~node_list();
  node_list(const node_list&) = delete;
  node_list& operator=(const node_list&) = delete;

  // Only the writer calls reserve(), make(), append(), remove_newest() and sweep().

  /// Makes sure that the next make() finds a node. \throws std::bad_alloc
  void reserve();
  /// Returns a node that is in no list: its serial is 0. Precondition: reserve().
  chunk_node* make() noexcept;
  /// Appends a node that has been set, and returns its serial.
  std::uint64_t append(chunk_node* n) noexcept;
  /// Undoes append() and make(), before any other append() or sweep().
  void remove_newest(chunk_node* n) noexcept;

  /// Looks at a few nodes, and removes those that nobody needs any more: they are no longer valid,
  /// and no later owner looks for its index there.
  /// \param is_used  whether a consumer is using the node.
  template <class IsUsed>
  void sweep(IsUsed&& is_used) noexcept {
    for (unsigned looked_at = 0; looked_at < at_once; ++looked_at) {
      chunk_node* n = cursor_->next.load(std::memory_order_relaxed);
      if (n == nullptr) {
        cursor_ = &front_;
        return;
      }
      if (is_done(*n) && !is_used(n))
        unlink(cursor_, n);
      else
        cursor_ = n;
    }
  }

  /// Returns where to begin. Any thread may call it.
  [[nodiscard]] node_sight begin() noexcept {
    chunk_node* n = start_.load(std::memory_order_acquire);  // pairs with begin_behind()
    // Pairs with begin_behind().
    const std::uint64_t serial = start_serial_.load(std::memory_order_acquire);
    if (n->serial.load(std::memory_order_acquire) == serial)
      return {n, serial};  // pairs with append(), unlink()
    return {&front_, serial_of_front};
  }
  /// Makes readers begin behind this node. Otherwise a consumer that is far behind its producer
  /// would come past all the nodes that it has emptied each time. Precondition: neither the node
  /// nor any before it is valid. The list's consumer calls this, or any consumer if the list has
  /// several.
  void begin_behind(const node_sight& at) noexcept {
    // Both stores pair with begin(). A reader that gets one of the two values from another call has
    // a pair that no node has: a serial is used once.
    start_serial_.store(at.serial, std::memory_order_release);
    start_.store(at.node, std::memory_order_release);
  }
  enum class step { node, end, disturbed };
  /// Goes on to the next node. Any thread may call it.
  static step next(node_sight& at) noexcept;

 private:
  // More than are appended meanwhile, so that most of a list is not garbage.
  static constexpr unsigned at_once = 4;
  static constexpr std::uint64_t serial_of_front = 1;

  /// Whether the word is over, and a later one has an index.
  static bool is_done(const chunk_node& n) noexcept {
    // pairs with chunk_header::settle() and the store in chunked_share::open_chunk()
    return n.chunk.load(std::memory_order_relaxed)->settled.load(std::memory_order_acquire) >
           tag_of(n.word.load(std::memory_order_relaxed));
  }

  void unmake(chunk_node* n) noexcept;
  void unlink(chunk_node* before, chunk_node* n) noexcept;

  chunk_node front_;  // has no chunk; readers begin at it
  chunk_node* newest_ = &front_;
  chunk_node* before_newest_ = &front_;  // the one before newest_ when that was appended
  chunk_node* cursor_ = &front_;         // sweep() goes on behind it
  chunk_node* unused_ = nullptr;         // linked by next
  std::uint64_t last_serial_ = serial_of_front;
  // The consumer writes these.
  alignas(cache_line) std::atomic<chunk_node*> start_{&front_};
  std::atomic<std::uint64_t> start_serial_{serial_of_front};
};

}  // namespace nopal::detail
