// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/pool/events.hpp"
#include "variants/pool/hazard_nodes.hpp"
#include "variants/pool/linked_share.hpp"

namespace nopal::detail {

/// The queue of Michael and Scott (PODC 1996), with hazard pointers. The first node has no element;
/// whoever takes an element makes its node the first. head_ never comes past tail_, so what tail_
/// points to is not retired. Lock-free.
template <class T>
class ms_list {
 public:
  using node = element_node<T>;

  explicit ms_list(hazard_nodes<T>& nodes)
      : nodes_(nodes),
        head_(std::make_unique<node>().release()),
        tail_(head_.load(std::memory_order_relaxed)) {}
  ~ms_list() {
    node* first = head_.load(std::memory_order_relaxed);
    while (node* n = first->next.load(std::memory_order_relaxed)) {
      std::destroy_at(&n->value());
      delete first;
      first = n;
    }
    delete first;
  }
  ms_list(const ms_list&) = delete;
  ms_list& operator=(const ms_list&) = delete;

  void push(unsigned thread, node* n) noexcept {
    for (;;) {
      node* last = nodes_.protect(thread, 0, tail_);
      node* next = nullptr;
      emit<pool_events::swapping>();
      // Pairs with the acquire of `next` in pop(), for the element.
      const bool linked = last->next.compare_exchange_strong(next, n, std::memory_order_seq_cst,
                                                             std::memory_order_acquire);
      emit<pool_events::swapping>();
      // Pairs with protect(), whose caller must find the node not retired.
      tail_.compare_exchange_strong(last, linked ? n : next, std::memory_order_seq_cst,
                                    std::memory_order_relaxed);
      if (linked) break;
    }
    nodes_.let_go(thread);
  }

  taken_node<T> pop(unsigned thread) noexcept {
    for (;;) {
      node* first = nodes_.protect(thread, 0, head_);
      node* last = tail_.load(std::memory_order_seq_cst);  // pairs with push()
      node* next = nodes_.protect(thread, 1, first->next);
      // If it is another now, next may be deleted. Pairs with the compare-and-swap below.
      if (head_.load(std::memory_order_seq_cst) != first) continue;
      if (next == nullptr) return {};
      if (first == last) {
        emit<pool_events::swapping>();
        tail_.compare_exchange_strong(last, next, std::memory_order_seq_cst,
                                      std::memory_order_relaxed);  // as in push()
        continue;
      }
      emit<pool_events::swapping>();
      // Pairs with itself, protect(), and empty_indicator::set().
      if (head_.compare_exchange_strong(first, next, std::memory_order_seq_cst,
                                        std::memory_order_relaxed))
        return {next, first};
    }
  }

  [[nodiscard]] bool is_empty(unsigned thread) const noexcept {
    for (;;) {
      const node* first = nodes_.protect(thread, 0, head_);
      // Pairs with push().
      const bool none = first->next.load(std::memory_order_seq_cst) == nullptr;
      if (head_.load(std::memory_order_seq_cst) == first) return none;  // pairs with pop()
    }
  }

 private:
  hazard_nodes<T>& nodes_;
  alignas(cache_line) std::atomic<node*> head_;
  alignas(cache_line) std::atomic<node*> tail_;
};

/// Each consumer's pool is such a queue (docs/pool.md, Other mechanisms).
template <class T>
using ms_queue = linked_share<T, ms_list>;

}  // namespace nopal::detail
