// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/pool/sc_pool.hpp"

namespace nopal::detail {

/// An element in a linked list. Whoever makes one of them constructs the element, and whoever takes
/// the element destroys it.
template <class T>
struct element_node {
  std::atomic<element_node*> next{nullptr};
  element_node* next_retired = nullptr;
  alignas(T) std::byte storage[sizeof(T)];

  T& value() noexcept { return *std::launder(reinterpret_cast<T*>(storage)); }
};

/// Nodes that one thread has unlinked and others may be looking at yet: hazard pointers (Michael
/// 2004), two for each thread. A thread looks through what it has retired whenever that is twice as
/// much as all threads can be using. So no more than that waits, and as many nodes share the cost
/// of a look.
///
/// Nodes that nobody uses go back to producers, a chain at a time and to one after the other, and
/// the memory is given back at the end. Otherwise the allocator would be what is measured, since it
/// has to bring each node from a consumer to a producer.
///
/// Threads are numbered: producers first, then consumers.
template <class T>
class hazard_nodes {
 public:
  using node = element_node<T>;

  explicit hazard_nodes(const sc_pool_options& o)
      : producers_(o.producers), threads_(o.producers + o.consumers) {}
  ~hazard_nodes() {
    for (thread& t : threads_)
      for (node* n : {t.retired, t.unused, t.returned.load(std::memory_order_relaxed)})
        while (n != nullptr) delete std::exchange(n, n->next_retired);
  }
  hazard_nodes(const hazard_nodes&) = delete;
  hazard_nodes& operator=(const hazard_nodes&) = delete;

  [[nodiscard]] unsigned thread_of_consumer(unsigned id) const noexcept { return producers_ + id; }

  /// A node with an element. \throws std::bad_alloc, and what the constructor of T throws.
  template <class... A>
  node* make(unsigned producer, A&&... args) {
    thread& me = threads_[producer];
    if (me.unused == nullptr)
      me.unused = me.returned.exchange(nullptr, std::memory_order_acquire);  // pairs with give()
    if (me.unused == nullptr) me.unused = std::make_unique<node>().release();
    node* n = me.unused;
    ::new (static_cast<void*>(n->storage)) T(std::forward<A>(args)...);
    me.unused = n->next_retired;
    n->next.store(nullptr, std::memory_order_relaxed);
    return n;
  }

  /// Returns what `from` points to. The node is not deleted before hazard `k` of the thread is used
  /// for something else, if it was not retired yet when `from` still pointed to it.
  node* protect(unsigned t, unsigned k, const std::atomic<node*>& from) noexcept {
    node* n = from.load(std::memory_order_relaxed);
    for (;;) {
      threads_[t].uses[k].store(n, std::memory_order_seq_cst);  // pairs with is_used()
      node* again = from.load(std::memory_order_seq_cst);       // pairs with what unlinks it
      if (again == n) return n;
      n = again;
    }
  }

  void let_go(unsigned t) noexcept {
    for (auto& h : threads_[t].uses)
      h.store(nullptr, std::memory_order_release);  // pairs with is_used()
  }

  /// Precondition: the node is unlinked, so that no further thread comes to it, and its element is
  /// destroyed.
  void retire(unsigned t, node* n) noexcept {
    thread& me = threads_[t];
    n->next_retired = me.retired;
    me.retired = n;
    if (++me.count >= 4 * threads_.size() + at_least) reclaim(me);
  }

 private:
  static constexpr std::size_t at_least = 64;

  struct alignas(cache_line) thread {
    std::atomic<node*> uses[2]{};
    alignas(cache_line) node* retired = nullptr;
    std::size_t count = 0;
    unsigned next = 0;       ///< The producer that the next chain goes to.
    node* unused = nullptr;  ///< Spare nodes of a producer.
    alignas(cache_line) std::atomic<node*> returned{nullptr};  ///< Consumers return nodes here.
  };

  void reclaim(thread& me) noexcept {
    node* first = nullptr;
    node* last = nullptr;
    for (node** link = &me.retired; *link != nullptr;) {
      node* n = *link;
      if (is_used(n)) {
        link = &n->next_retired;
      } else {
        *link = n->next_retired;
        n->next_retired = first;
        first = n;
        if (last == nullptr) last = n;
        --me.count;
      }
    }
    if (first != nullptr) give(threads_[me.next++ % producers_], first, last);
  }

  /// Chains are only ever taken as a whole, so a top that comes back does no harm.
  static void give(thread& producer, node* first, node* last) noexcept {
    node* top = producer.returned.load(std::memory_order_relaxed);
    do {
      last->next_retired = top;
    } while (!producer.returned.compare_exchange_weak(
        top, first, std::memory_order_acq_rel, std::memory_order_relaxed));  // pairs with make()
  }

  bool is_used(const node* n) const noexcept {
    for (const thread& t : threads_)
      for (const auto& h : t.uses)
        // Pairs with protect() and let_go().
        if (h.load(std::memory_order_seq_cst) == n) return true;
    return false;
  }

  unsigned producers_;
  std::vector<thread> threads_;
};

}  // namespace nopal::detail
