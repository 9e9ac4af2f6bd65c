// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/pool/events.hpp"
#include "variants/pool/hazard_nodes.hpp"
#include "variants/pool/linked_share.hpp"

namespace nopal::detail {

/// Treiber's stack with hazard pointers, as Michael has it (2004). Lock-free.
template <class T>
class lifo_list {
 public:
  using node = element_node<T>;

  explicit lifo_list(hazard_nodes<T>& nodes) noexcept : nodes_(nodes) {}
  ~lifo_list() {
    for (node* n = top_.load(std::memory_order_relaxed); n != nullptr;) {
      std::destroy_at(&n->value());
      delete std::exchange(n, n->next.load(std::memory_order_relaxed));
    }
  }
  lifo_list(const lifo_list&) = delete;
  lifo_list& operator=(const lifo_list&) = delete;

  void push(unsigned /*thread*/, node* n) noexcept {
    node* top = top_.load(std::memory_order_relaxed);
    do {
      n->next.store(top, std::memory_order_relaxed);
      emit<pool_events::swapping>();
      // Pairs with protect() in pop(), for the element and for next.
    } while (
        !top_.compare_exchange_weak(top, n, std::memory_order_seq_cst, std::memory_order_relaxed));
  }

  taken_node<T> pop(unsigned thread) noexcept {
    for (;;) {
      node* top = nodes_.protect(thread, 0, top_);
      if (top == nullptr) return {};
      emit<pool_events::swapping>();
      // A node that is protected does not come back, so its next is what it was. Pairs with itself,
      // protect(), and empty_indicator::set().
      if (top_.compare_exchange_strong(top, top->next.load(std::memory_order_relaxed),
                                       std::memory_order_seq_cst, std::memory_order_relaxed))
        return {top, top};
    }
  }

  [[nodiscard]] bool is_empty(unsigned /*thread*/) const noexcept {
    return top_.load(std::memory_order_seq_cst) == nullptr;  // pairs with push() and pop()
  }

 private:
  hazard_nodes<T>& nodes_;
  alignas(cache_line) std::atomic<node*> top_{nullptr};
};

/// Each consumer's pool is such a stack (docs/pool.md, Other mechanisms).
template <class T>
using lifo_stack = linked_share<T, lifo_list>;

}  // namespace nopal::detail
