// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "nopal/detail/stm/address_index.hpp"
#include "nopal/stm/object.hpp"
#include "nopal/stm/transaction.hpp"

namespace nopal::stm {

/// Values by keys, in the order of the keys: a binary search tree, balanced by random priorities.
/// \code
/// nopal::stm::map<int, double> prices;
/// nopal::stm::atomically([&](nopal::stm::transaction& t) {
///   prices.set(t, 7, 1.5);
///   if (auto next = prices.lower_bound(t, 8)) prices.erase(t, next->first);
/// });
/// \endcode
///
/// \tparam K  any type that can be copied.
/// \tparam V  trivially copyable.
/// \tparam Less  a strict weak order.
/// Thread-safety: any number of transactions use it.
/// Complexity: expected logarithmic; an update changes less than four places on average.
/// Source: Seidel and Aragon, Randomized Search Trees, Algorithmica 1996.
template <class K, class V, class Less = std::less<>, class Locks = default_locks>
class map {
 public:
  explicit map(Less less = {}) : less_(less) {
    static_assert(detail::orders<const Less&, K>,
                  "nopal::stm::map<K, V, Less>: Less, as const, cannot compare two K; give K an "
                  "operator<, or name an order");
    static_assert(
        std::is_trivially_copyable_v<V>,
        "nopal::stm::map<K, V>: V must be trivially copyable; a pointer to a stm::boxed is");
  }
  /// Precondition: no transaction uses it any more.
  ~map() { free_all(head_.child[0].value()); }
  map(const map&) = delete;
  map& operator=(const map&) = delete;

  /// Returns the value of a key, or nothing if there is no such key.
  template <class Reads>
  [[nodiscard]] std::optional<V> find(basic_transaction<Reads>& t, const K& key) const {
    const node* n = t.get(head_, head_.child[0]);
    while (n != nullptr) {
      const bool right = detail::compare(less_, n->key, key);
      if (!right && !detail::compare(less_, key, n->key)) return t.get(*n, n->value);
      n = t.get(*n, n->child[right ? 1 : 0]);
    }
    return std::nullopt;
  }
  /// Returns the first key that is not less than `key`, with its value, or nothing if all keys are
  /// less.
  template <class Reads>
  [[nodiscard]] std::optional<std::pair<K, V>> lower_bound(basic_transaction<Reads>& t,
                                                           const K& key) const {
    const node* best = nullptr;
    for (const node* n = t.get(head_, head_.child[0]); n != nullptr;) {
      const bool right = detail::compare(less_, n->key, key);
      if (!right) best = n;
      n = t.get(*n, n->child[right ? 1 : 0]);
    }
    if (best == nullptr) return std::nullopt;
    return std::pair<K, V>(best->key, t.get(*best, best->value));
  }
  /// Sets the value of a key. Returns whether the key is new.
  /// \throws std::bad_alloc
  template <class Reads>
  bool set(basic_transaction<Reads>& t, const K& key, const V& value) {
    return put(t, key, value, true);
  }
  /// Does the same, but the value of a key that is there stays.
  template <class Reads>
  bool insert(basic_transaction<Reads>& t, const K& key, const V& value) {
    return put(t, key, value, false);
  }
  /// Removes a key. Returns whether it was there.
  template <class Reads>
  bool erase(basic_transaction<Reads>& t, const K& key) {
    place at{&head_, 0};
    node* n = get(t, at);
    while (n != nullptr) {
      const bool right = detail::compare(less_, n->key, key);
      if (!right && !detail::compare(less_, key, n->key)) break;
      at = {n, right ? 1U : 0U};
      n = get(t, at);
    }
    if (n == nullptr) return false;
    join(t, at, get(t, {n, 0}), get(t, {n, 1}));
    t.destroy(n);
    return true;
  }
  /// Calls f(key, value) for each key, in order.
  template <class Reads, class F>
  void for_each(basic_transaction<Reads>& t, F&& f) const {
    if constexpr (detail::check_part<F&, const K&, V>())
      for_each_below(t, t.get(head_, head_.child[0]), f);
  }
  template <class Reads>
  [[nodiscard]] bool empty(basic_transaction<Reads>& t) const {
    return t.get(head_, head_.child[0]) == nullptr;
  }

 private:
  struct node;
  struct branch : object<Locks> {
    std::array<field<node*, Locks>, 2> child;
  };
  /// No child of a node has a higher priority than the node.
  struct node : branch {
    node(const K& k, const V& v) : key(k), value(v) {}
    const K key;
    const std::uint64_t priority = detail::mixed_number(reinterpret_cast<std::uintptr_t>(this));
    field<detail::shared_value<V>, Locks> value;
  };
  /// The place where a subtree hangs.
  struct place {
    branch* above;
    unsigned side;
  };

  template <class Reads>
  static node* get(basic_transaction<Reads>& t, const place& p) {
    return t.get(*p.above, p.above->child[p.side]);
  }
  template <class Reads>
  static void hang(basic_transaction<Reads>& t, const place& p, node* n) {
    t.set(*p.above, p.above->child[p.side], n);
  }

  template <class Reads>
  bool put(basic_transaction<Reads>& t, const K& key, const V& value, bool replaces) {
    for (node* n = t.get(head_, head_.child[0]); n != nullptr;) {
      const bool right = detail::compare(less_, n->key, key);
      if (!right && !detail::compare(less_, key, n->key)) {
        if (replaces) t.set(*n, n->value, value);
        return false;
      }
      n = t.get(*n, n->child[right ? 1 : 0]);
    }
    node* made = t.template make<node>(key, value);
    place at{&head_, 0};
    node* below = get(t, at);
    while (below != nullptr && below->priority > made->priority) {
      at = {below, detail::compare(less_, below->key, key) ? 1U : 0U};
      below = get(t, at);
    }
    split(t, below, made);
    hang(t, at, made);
    return true;
  }

  /// Puts the nodes of the subtree `below` to the left and to the right of `made`.
  template <class Reads>
  void split(basic_transaction<Reads>& t, node* below, node* made) {
    place left{made, 0}, right{made, 1};
    while (below != nullptr) {
      const bool goes_left = detail::compare(less_, below->key, made->key);
      place& to = goes_left ? left : right;
      hang(t, to, below);
      to = {below, goes_left ? 1U : 0U};
      below = get(t, to);
    }
    hang(t, left, nullptr);
    hang(t, right, nullptr);
  }

  /// Joins two subtrees into one, which hangs at `at`. The keys of `left` come before the others.
  template <class Reads>
  static void join(basic_transaction<Reads>& t, place at, node* left, node* right) {
    while (left != nullptr && right != nullptr) {
      const bool left_first = left->priority > right->priority;
      node*& higher = left_first ? left : right;
      hang(t, at, higher);
      at = {higher, left_first ? 1U : 0U};
      higher = get(t, at);
    }
    hang(t, at, left != nullptr ? left : right);
  }

  template <class Reads, class F>
  static void for_each_below(basic_transaction<Reads>& t, const node* n, F& f) {
    if (n == nullptr) return;
    for_each_below(t, t.get(*n, n->child[0]), f);
    static_cast<void>(f(n->key, t.get(*n, n->value)));
    for_each_below(t, t.get(*n, n->child[1]), f);
  }

  static void free_all(node* n) noexcept {
    if (n == nullptr) return;
    free_all(n->child[0].value());
    free_all(n->child[1].value());
    delete n;
  }

  branch head_;  ///< All keys are below child[0].
  [[no_unique_address]] Less less_;
};

}  // namespace nopal::stm
