// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "nopal/detail/stm/address_index.hpp"
#include "nopal/stm/object.hpp"
#include "nopal/stm/transaction.hpp"

namespace nopal::stm {

/// Values by keys, in no order. Transactions that use different keys seldom conflict. The map does
/// not count its keys, because all transactions that insert would conflict then.
/// \code
/// nopal::stm::hash_map<std::string, int> stock(1000);
/// nopal::stm::atomically([&](nopal::stm::transaction& t) {
///   stock.set(t, "apples", stock.find(t, "apples").value_or(0) + 1);
/// });
/// \endcode
///
/// \tparam K  any type that can be copied.
/// \tparam V  trivially copyable.
/// Thread-safety: any number of transactions use it.
/// Complexity: constant on average, if there are about as many buckets as keys.
template <class K, class V, class Hash = std::hash<K>, class Equal = std::equal_to<>,
          class Locks = default_locks>
class hash_map {
  static constexpr bool has_hash = std::is_copy_constructible_v<Hash>;
  using hash_function = std::conditional_t<has_hash, Hash, detail::refused_hash>;

 public:
  /// \param buckets  the number of keys that the map is made for. It does not grow.
  /// \throws std::bad_alloc
  explicit hash_map(std::size_t buckets = 1024, hash_function hash = {}, Equal equal = {})
      : size_(std::max<std::size_t>(buckets, 1)),
        buckets_(new link[size_]),
        hash_(hash),
        equal_(equal) {
    static_assert(has_hash,
                  "nopal::stm::hash_map<K, V, Hash>: there is no std::hash<K>; name a Hash");
    static_assert(detail::orders<const Equal&, K>,
                  "nopal::stm::hash_map<K, V, Hash, Equal>: Equal, as const, cannot compare two K; "
                  "give K an operator==, or name an Equal");
    static_assert(
        std::is_trivially_copyable_v<V>,
        "nopal::stm::hash_map<K, V>: V must be trivially copyable; a pointer to a stm::boxed is");
  }
  /// Precondition: no transaction uses it any more.
  ~hash_map() {
    for (std::size_t i = 0; i < size_; ++i)
      for (node* n = buckets_[i].next.value(); n != nullptr;) {
        node* next = n->next.value();
        delete n;
        n = next;
      }
  }
  hash_map(const hash_map&) = delete;
  hash_map& operator=(const hash_map&) = delete;

  /// Returns the value of a key, or nothing if there is no such key.
  template <class Reads>
  [[nodiscard]] std::optional<V> find(basic_transaction<Reads>& t, const K& key) const {
    const node* n = locate(t, key).second;
    if (n == nullptr) return std::nullopt;
    return t.get(*n, n->value);
  }
  /// Sets the value of a key. Returns whether the key is new.
  /// \throws std::bad_alloc
  template <class Reads>
  bool set(basic_transaction<Reads>& t, const K& key, const V& value) {
    if (node* n = locate(t, key).second) {
      t.set(*n, n->value, value);
      return false;
    }
    add(t, key, value);
    return true;
  }
  /// Does the same, but the value of a key that is there stays.
  template <class Reads>
  bool insert(basic_transaction<Reads>& t, const K& key, const V& value) {
    if (locate(t, key).second != nullptr) return false;
    add(t, key, value);
    return true;
  }
  /// Removes a key. Returns whether it was there.
  template <class Reads>
  bool erase(basic_transaction<Reads>& t, const K& key) {
    const auto [before, n] = locate(t, key);
    if (n == nullptr) return false;
    t.set(*before, before->next, t.get(*n, n->next));
    t.destroy(n);
    return true;
  }
  /// Calls f(key, value) for each key.
  template <class Reads, class F>
  void for_each(basic_transaction<Reads>& t, F&& f) const {
    if constexpr (detail::check_part<F&, const K&, V>())
      for (std::size_t i = 0; i < size_; ++i)
        for (const node* n = t.get(buckets_[i], buckets_[i].next); n != nullptr;
             n = t.get(*n, n->next))
          static_cast<void>(f(n->key, t.get(*n, n->value)));
  }

 private:
  struct node;
  struct link : object<Locks> {
    field<node*, Locks> next{nullptr};
  };
  struct node : link {
    node(const K& k, const V& v) : key(k), value(v) {}
    const K key;
    field<detail::shared_value<V>, Locks> value;
  };

  [[nodiscard]] link& bucket_of(const K& key) const {
    return buckets_[detail::mixed_number(hash_(key)) % size_];
  }

  /// Returns the link before the node with this key, and that node; or the last link and nullptr.
  template <class Reads>
  std::pair<link*, node*> locate(basic_transaction<Reads>& t, const K& key) const {
    link* before = &bucket_of(key);
    node* n = t.get(*before, before->next);
    while (n != nullptr && !detail::compare(equal_, n->key, key)) {
      before = n;
      n = t.get(*n, n->next);
    }
    return {before, n};
  }

  template <class Reads>
  void add(basic_transaction<Reads>& t, const K& key, const V& value) {
    link& bucket = bucket_of(key);
    node* made = t.template make<node>(key, value);
    made->next.set_value(t.get(bucket, bucket.next));
    t.set(bucket, bucket.next, made);
  }

  std::size_t size_;
  std::unique_ptr<link[]> buckets_;
  [[no_unique_address]] hash_function hash_;
  [[no_unique_address]] Equal equal_;
};

}  // namespace nopal::stm
