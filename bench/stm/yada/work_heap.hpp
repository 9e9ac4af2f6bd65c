// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "stm/tm.hpp"

namespace nopal_bench {

/// Pointers, of which the most urgent comes out first: a leftist heap (Crane 1972) of small
/// objects.
template <class T>
class work_heap {
 public:
  work_heap() = default;
  ~work_heap() { free_all(head_.first.value()); }
  work_heap(const work_heap&) = delete;
  work_heap& operator=(const work_heap&) = delete;

  void push(tm::transaction& t, T* what, double urgency) {
    node* made = t.make<node>(what, urgency);
    t.set(head_, head_.first, merged(t, made, t.get(head_, head_.first)));
  }

  /// The most urgent, or nullptr.
  T* pop(tm::transaction& t) {
    node* n = t.get(head_, head_.first);
    if (n == nullptr) return nullptr;
    t.set(head_, head_.first, merged(t, t.get(*n, n->left), t.get(*n, n->right)));
    T* what = n->what;
    t.destroy(n);
    return what;
  }

 private:
  struct node : tm::object {
    node(T* w, double u) : what(w), urgency(u) {}
    T* const what;
    const double urgency;
    tm::field<node*> left{nullptr}, right{nullptr};
    tm::field<unsigned> rank{1};  ///< Nodes on the way along right children.
  };
  struct head : tm::object {
    tm::field<node*> first{nullptr};
  };

  static node* merged(tm::transaction& t, node* a, node* b) {
    if (a == nullptr) return b;
    if (b == nullptr) return a;
    if (a->urgency < b->urgency) std::swap(a, b);
    node* left = t.get(*a, a->left);
    node* right = merged(t, t.get(*a, a->right), b);
    if (rank_of(t, left) < rank_of(t, right)) {
      std::swap(left, right);
      t.set(*a, a->left, left);
    }
    t.set(*a, a->right, right);
    const unsigned rank = rank_of(t, right) + 1;
    if (rank != t.get(*a, a->rank)) t.set(*a, a->rank, rank);
    return a;
  }
  static unsigned rank_of(tm::transaction& t, const node* n) {
    return n == nullptr ? 0 : t.get(*n, n->rank);
  }
  static void free_all(node* n) {
    if (n == nullptr) return;
    free_all(n->left.value());
    free_all(n->right.value());
    delete n;
  }

  head head_;
};

}  // namespace nopal_bench
