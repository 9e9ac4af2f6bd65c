// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "nopal/detail/platform/config.hpp"
#include "nopal/stm/object.hpp"
#include "nopal/stm/transaction.hpp"
#include "nopal/stm/var.hpp"

namespace nopal::stm {

/// A queue, first in, first out.
/// \code
/// nopal::stm::queue<int> q;
/// nopal::stm::atomically([&](nopal::stm::transaction& t) { q.push(t, 1); });
/// int x = nopal::stm::atomically([&](nopal::stm::transaction& t) { return q.pop(t); });
/// \endcode
///
/// \tparam T  trivially copyable.
/// Thread-safety: any number of transactions use it. Those that push conflict with each other, and
/// so do those that pop. One that pushes and one that pops conflict if the queue is empty.
/// Complexity: constant.
template <class T, class Locks = default_locks>
class queue {
 public:
  queue() = default;
  /// Precondition: no transaction uses it any more.
  ~queue() {
    for (node* n = first_.value(); n != nullptr;) {
      node* next = n->next.value();
      delete n;
      n = next;
    }
  }
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;

  /// \throws std::bad_alloc
  template <class Reads>
  void push(basic_transaction<Reads>& t, const T& x) {
    constexpr bool copies = std::is_copy_constructible_v<T>;
    static_assert(copies, "nopal::stm::queue<T>: T must be copyable; a std::shared_ptr is");
    if constexpr (copies) {
      node* made = t.template make<node>(x);
      node* last = t.get(last_);
      if (last == nullptr)
        t.set(first_, made);
      else
        t.set(*last, &node::next, made);
      t.set(last_, made);
    }
  }

  /// Removes and returns the oldest value. If the queue is empty, returns nothing.
  template <class Reads>
  std::optional<T> try_pop(basic_transaction<Reads>& t) {
    node* n = t.get(first_);
    if (n == nullptr) return std::nullopt;
    node* next = t.get(*n, &node::next);
    t.set(first_, next);
    if (next == nullptr) t.set(last_, nullptr);
    t.destroy(n);
    return n->value;
  }

  /// Removes and returns the oldest value. If the queue is empty, the transaction calls retry().
  template <class Reads>
  T pop(basic_transaction<Reads>& t) {
    if (std::optional<T> x = try_pop(t)) return *x;
    t.retry();
  }

  template <class Reads>
  [[nodiscard]] bool empty(basic_transaction<Reads>& t) const {
    return t.get(first_) == nullptr;
  }

 private:
  struct node : object<Locks> {
    explicit node(const T& x) : value(x) {}
    const T value;
    field<node*, Locks> next{nullptr};
  };

  alignas(detail::cache_line) var<node*, Locks> first_{nullptr};
  alignas(detail::cache_line) var<node*, Locks> last_{nullptr};
};

}  // namespace nopal::stm
