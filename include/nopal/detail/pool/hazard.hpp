// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/pool/chunk.hpp"
#include "nopal/detail/pool/chunk_node.hpp"

namespace nopal::detail {

/// A hazard pointer (Michael 2004) to the chunk that a consumer is using, and to its node, set once
/// for each chunk. It guards them not from being given back but from being used again. The consumer
/// may be about to mark a slot of the chunk, to move an element out of it, or to store an index to
/// the node.
///
/// Whoever sets it looks afterwards whether the chunk's owner is what it was. Whoever wants to use
/// the chunk or the node again changes the owner first, and looks at the hazards afterwards. All
/// four steps are sequentially consistent, so one of the two sees the other.
class alignas(cache_line) hazard {
 public:
  /// Guards the chunk and its node, in place of those before. Its consumer calls this before it
  /// uses them, and with nullptr when it will not come back soon.
  void set(const chunk_header* c, const chunk_node* n) noexcept {
    node_.store(n, std::memory_order_seq_cst);   // pairs with node()
    chunk_.store(c, std::memory_order_seq_cst);  // pairs with chunk()
  }
  /// Says that the consumer stores to the index of its node no more; the chunk stays guarded. A
  /// thief that has become the owner takes this for the consumer's answer.
  void leave_node() noexcept {
    node_.store(nullptr, std::memory_order_release);  // pairs with node(): the index
  }
  [[nodiscard]] const chunk_header* chunk() const noexcept {
    return chunk_.load(std::memory_order_seq_cst);
  }
  [[nodiscard]] const chunk_node* node() const noexcept {
    return node_.load(std::memory_order_seq_cst);
  }

 private:
  std::atomic<const chunk_header*> chunk_{nullptr};
  std::atomic<const chunk_node*> node_{nullptr};
};

/// Returns when the consumer whose hazard is `of` has left the node, or all threads have gone
/// through a full barrier. A thief calls it. It waits for the consumer no longer than such a
/// barrier last took. If the consumer does not answer, it may not be running. So the thief waits
/// for nobody in its next few steals.
/// \param n  the node to be left, or nullptr if nobody's answer would be enough.
/// \param unasked  the number of steals that still do not wait; each thief has its own.
void wait_or_fence(const hazard& of, const chunk_node* n, unsigned& unasked) noexcept;

/// The chunks that one consumer has emptied and that others may be using yet. After reclaim() there
/// are no more of them than other consumers, since each uses one.
class retired_chunks {
 public:
  /// Precondition: the chunk's owner is `nobody`.
  void add(chunk_header* c) noexcept {
    NOPAL_ASSERT(consumer_of(c->owner.load(std::memory_order_relaxed)) == nobody);
    c->next_retired = first_;
    first_ = c;
  }

  /// Hands those chunks on that no consumer but `self` uses.
  template <class F>
  void reclaim(const std::vector<hazard>& all, unsigned self, F&& use_again) noexcept {
    for (chunk_header** link = &first_; *link != nullptr;) {
      chunk_header* c = *link;
      if (is_used(all, self, c)) {
        link = &c->next_retired;
      } else {
        *link = c->next_retired;
        use_again(c);
      }
    }
  }

 private:
  /// Whether another consumer than `self` uses the chunk.
  static bool is_used(const std::vector<hazard>& all, unsigned self,
                      const chunk_header* c) noexcept {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i != self && all[i].chunk() == c) return true;
    return false;
  }

  chunk_header* first_ = nullptr;
};

}  // namespace nopal::detail
