// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "stm/tm.hpp"

namespace nopal_bench {

/// Values by keys, as nopal::stm::map has them, written in what all variants have.
template <class V>
class tree {
 public:
  using key_type = std::int64_t;

  tree() = default;
  ~tree() { free_all(head_.child[0].value()); }
  tree(const tree&) = delete;
  tree& operator=(const tree&) = delete;

  /// The value, or V{}.
  V find(tm::transaction& t, key_type key) const {
    for (const node* n = t.get(head_, head_.child[0]); n != nullptr;) {
      const key_type at = t.get(*n, n->key);
      if (at == key) return t.get(*n, n->value);
      n = t.get(*n, n->child[at < key ? 1 : 0]);
    }
    return V{};
  }

  bool insert(tm::transaction& t, key_type key, V value) {
    for (const node* n = t.get(head_, head_.child[0]); n != nullptr;) {
      const key_type at = t.get(*n, n->key);
      if (at == key) return false;
      n = t.get(*n, n->child[at < key ? 1 : 0]);
    }
    node* made = t.make<node>(key, value);
    place at{&head_, 0};
    node* below = get(t, at);
    while (below != nullptr && below->priority > made->priority) {
      at = {below, t.get(*below, below->key) < key ? 1U : 0U};
      below = get(t, at);
    }
    place left{made, 0}, right{made, 1};
    hang(t, at, made);
    while (below != nullptr) {
      const bool goes_left = t.get(*below, below->key) < key;
      place& to = goes_left ? left : right;
      hang(t, to, below);
      to = {below, goes_left ? 1U : 0U};
      below = get(t, to);
    }
    hang(t, left, nullptr);
    hang(t, right, nullptr);
    return true;
  }

  bool erase(tm::transaction& t, key_type key) {
    place at{&head_, 0};
    node* n = get(t, at);
    while (n != nullptr) {
      const key_type here = t.get(*n, n->key);
      if (here == key) break;
      at = {n, here < key ? 1U : 0U};
      n = get(t, at);
    }
    if (n == nullptr) return false;
    node* left = get(t, {n, 0});
    node* right = get(t, {n, 1});
    while (left != nullptr && right != nullptr) {
      const bool left_first = left->priority > right->priority;
      node*& higher = left_first ? left : right;
      hang(t, at, higher);
      at = {higher, left_first ? 1U : 0U};
      higher = get(t, at);
    }
    hang(t, at, left != nullptr ? left : right);
    t.destroy(n);
    return true;
  }

  /// f(key, value) for each, when no transaction runs.
  template <class F>
  void for_each_now(F&& f) const {
    for_each_below(head_.child[0].value(), f);
  }

 private:
  struct node;
  struct branch : tm::object {
    std::array<tm::field<node*>, 2> child;
  };
  struct node : branch {
    node(key_type k, V v) : key(k), priority(mixed(static_cast<std::uint64_t>(k))), value(v) {}
    tm::field<key_type> key;
    const std::uint64_t priority;
    tm::field<V> value;
  };
  struct place {
    branch* above;
    unsigned side;
  };

  static std::uint64_t mixed(std::uint64_t x) {
    x = (x + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  static node* get(tm::transaction& t, const place& p) {
    return t.get(*p.above, p.above->child[p.side]);
  }
  static void hang(tm::transaction& t, const place& p, node* n) {
    t.set(*p.above, p.above->child[p.side], n);
  }
  template <class F>
  static void for_each_below(const node* n, F& f) {
    if (n == nullptr) return;
    for_each_below(n->child[0].value(), f);
    f(n->key.value(), n->value.value());
    for_each_below(n->child[1].value(), f);
  }
  static void free_all(node* n) {
    if (n == nullptr) return;
    free_all(n->child[0].value());
    free_all(n->child[1].value());
    delete n;
  }

  branch head_;
};

}  // namespace nopal_bench
