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

/// What a consumer is using: a hazard pointer (Michael 2004) to a chunk and to its node, set once
/// for each chunk. What it guards from is not that memory goes away but that it is used again: the
/// consumer may be about to mark a slot of the chunk, or to move an element out of it, or to store
/// an index to the node.
///
/// Who sets it looks afterwards whether the chunk's owner is what it was; who wants to use the
/// chunk or the node again changes the owner first, and looks here afterwards. All four are
/// sequentially consistent, so one of the two sees the other.
class alignas(cache_line) hazard {
 public:
  void set(const chunk_header* c, const chunk_node* n) noexcept {
    node_.store(n, std::memory_order_seq_cst);   // pairs with node()
    chunk_.store(c, std::memory_order_seq_cst);  // pairs with chunk()
  }
  /// The consumer stores to the index of its node no more; the chunk stays guarded. This is also
  /// how it answers a thief that has become the owner, and asks by this whether there is an answer.
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

/// Thief: behind this the consumer whose hazard this is has left the node, or all threads have gone
/// through a full barrier. Waits no longer than that takes, and after a consumer that did not
/// answer not at all for some steals: it may not run.
/// \param n  nullptr: there is nobody whose answer would be enough.
/// \param unasked  so many steals are left; the thief's own.
void wait_or_fence(const hazard& of, const chunk_node* n, unsigned& unasked) noexcept;

/// The chunks that one consumer has emptied and that others may be using yet. Never more than there
/// are other consumers after reclaim(), as each uses one.
class retired_chunks {
 public:
  /// The chunk's owner is `nobody` by now.
  void add(chunk_header* c) noexcept {
    NOPAL_ASSERT(consumer_of(c->owner.load(std::memory_order_relaxed)) == nobody);
    c->next_retired = first_;
    first_ = c;
  }

  /// Hands those on that nobody but `self` uses.
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
  static bool is_used(const std::vector<hazard>& all, unsigned self,
                      const chunk_header* c) noexcept {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i != self && all[i].chunk() == c) return true;
    return false;
  }

  chunk_header* first_ = nullptr;
};

}  // namespace nopal::detail
