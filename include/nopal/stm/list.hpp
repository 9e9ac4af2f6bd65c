// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "nopal/stm/object.hpp"
#include "nopal/stm/transaction.hpp"

namespace nopal::stm {

/// Distinct values in a linked list, in their order. A list is for few values: whoever looks for
/// one reads all that come before it, and conflicts with whoever changes one of them.
/// \code
/// nopal::stm::list<int> l;
/// bool is_new =
///     nopal::stm::atomically([&](nopal::stm::transaction& t) { return l.insert(t, 3); });
/// \endcode
///
/// \tparam T  any type that can be copied; the list's values never change.
/// \tparam Less  a strict weak order.
/// Thread-safety: any number of transactions use it.
/// Complexity: linear in the number of values before the one that is looked for.
template <class T, class Less = std::less<>, class Locks = default_locks>
class list {
 public:
  explicit list(Less less = {}) : less_(less) {
    static_assert(detail::orders<Less&, T>,
                  "nopal::stm::list<T, Less>: Less cannot compare two T; give T an operator<, or "
                  "name an order");
  }
  /// Precondition: no transaction uses it any more.
  ~list() {
    for (node* n = head_.next.value(); n != nullptr;) {
      node* next = n->next.value();
      delete n;
      n = next;
    }
  }
  list(const list&) = delete;
  list& operator=(const list&) = delete;

  /// Adds a value. Returns whether it is new.
  /// \throws std::bad_alloc
  template <class Reads>
  bool insert(basic_transaction<Reads>& t, const T& x) {
    const place p = find(t, x);
    if (p.is_there) return false;
    node* made = t.template make<node>(x);
    made->next.set_value(p.after);
    t.set(*p.before, p.before->next, made);
    return true;
  }
  /// Removes a value. Returns whether it was there.
  template <class Reads>
  bool erase(basic_transaction<Reads>& t, const T& x) {
    const place p = find(t, x);
    if (!p.is_there) return false;
    t.set(*p.before, p.before->next, t.get(*p.after, p.after->next));
    t.destroy(p.after);
    return true;
  }
  template <class Reads>
  [[nodiscard]] bool contains(basic_transaction<Reads>& t, const T& x) const {
    return const_cast<list*>(this)->find(t, x).is_there;
  }
  /// Calls f(x) for each value, in order.
  template <class Reads, class F>
  void for_each(basic_transaction<Reads>& t, F&& f) const {
    if constexpr (detail::check_part<F&, const T&>())
      for (const node* n = t.get(head_, head_.next); n != nullptr; n = t.get(*n, n->next))
        static_cast<void>(f(n->value));
  }
  template <class Reads>
  [[nodiscard]] bool empty(basic_transaction<Reads>& t) const {
    return t.get(head_, head_.next) == nullptr;
  }

 private:
  struct node;
  struct link : object<Locks> {
    field<node*, Locks> next{nullptr};
  };
  struct node : link {
    explicit node(const T& x) : value(x) {}
    const T value;
  };
  struct place {
    link* before;
    node* after;
    bool is_there;  ///< Whether `after` has the value.
  };

  template <class Reads>
  place find(basic_transaction<Reads>& t, const T& x) {
    link* before = &head_;
    node* n = t.get(*before, before->next);
    while (n != nullptr && detail::compare(less_, n->value, x)) {
      before = n;
      n = t.get(*n, n->next);
    }
    return {before, n, n != nullptr && !detail::compare(less_, x, n->value)};
  }

  link head_;
  [[no_unique_address]] Less less_;
};

}  // namespace nopal::stm
