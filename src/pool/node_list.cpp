// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/pool/node_list.hpp"

#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

node_list::node_list() { front_.serial.store(serial_of_front, std::memory_order_relaxed); }

node_list::~node_list() {
  for (chunk_node* first : {front_.next.load(std::memory_order_relaxed), unused_}) {
    while (first != nullptr) {
      chunk_node* n = first;
      first = n->next.load(std::memory_order_relaxed);
      delete n;
    }
  }
}

void node_list::reserve() {
  if (unused_ == nullptr) unmake(new chunk_node);
}

chunk_node* node_list::make() noexcept {
  NOPAL_ASSERT(unused_ != nullptr && unused_->serial.load(std::memory_order_relaxed) == 0);
  chunk_node* n = unused_;
  unused_ = n->next.load(std::memory_order_relaxed);
  return n;
}

/// Keeps a node that is in the list no more for the next make(). A reader may still be at the node
/// and read where the list goes on. It will find another node of this list, or none, and after that
/// see that this node's life is over: hence release.
void node_list::unmake(chunk_node* n) noexcept {
  n->next.store(unused_, std::memory_order_release);  // pairs with next()
  unused_ = n;
}

std::uint64_t node_list::append(chunk_node* n) noexcept {
  NOPAL_ASSERT(n->serial.load(std::memory_order_relaxed) == 0);
  n->next.store(nullptr, std::memory_order_release);           // pairs with next()
  n->serial.store(++last_serial_, std::memory_order_release);  // pairs with next()
  newest_->next.store(n, std::memory_order_release);           // pairs with next()
  before_newest_ = newest_;
  newest_ = n;
  return last_serial_;
}

void node_list::remove_newest(chunk_node* n) noexcept {
  NOPAL_ASSERT(n == newest_);
  unlink(before_newest_, n);
}

/// Takes `n`, which follows `before`, out of the list.
void node_list::unlink(chunk_node* before, chunk_node* n) noexcept {
  NOPAL_ASSERT(before->next.load(std::memory_order_relaxed) == n);
  // Pairs with next().
  before->next.store(n->next.load(std::memory_order_relaxed), std::memory_order_release);
  n->serial.store(0, std::memory_order_release);  // pairs with next()
  if (newest_ == n) newest_ = before;
  if (cursor_ == n) cursor_ = before;
  unmake(n);
}

node_list::step node_list::next(node_sight& at) noexcept {
  // Each acquire load pairs with the stores of append(), unlink() and chunk_node::set() to the same
  // word.
  chunk_node* n = at.node->next.load(std::memory_order_acquire);
  if (n == nullptr)
    return at.node->serial.load(std::memory_order_relaxed) == at.serial ? step::end
                                                                        : step::disturbed;
  const node_sight seen{n, n->serial.load(std::memory_order_acquire),
                        n->word.load(std::memory_order_acquire),
                        n->chunk.load(std::memory_order_acquire)};
  // If n is still the next node, it was so when its serial was read. A node that was removed and
  // appended again has another serial, and whoever saw that one sees that the node is elsewhere.
  const bool was_next = at.node->next.load(std::memory_order_acquire) == n &&
                        at.node->serial.load(std::memory_order_relaxed) == at.serial;
  if (!was_next || seen.serial == 0 || n->serial.load(std::memory_order_relaxed) != seen.serial)
    return step::disturbed;
  at = seen;
  return step::node;
}

}  // namespace nopal::detail
