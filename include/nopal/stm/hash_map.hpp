// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/stm/address_index.hpp"
#include "nopal/detail/stm/key_hash.hpp"
#include "nopal/stm/boxed.hpp"
#include "nopal/stm/object.hpp"
#include "nopal/stm/transaction.hpp"

namespace nopal::stm {

/// Values by keys, in no order. Transactions that use different keys seldom conflict. The map does
/// not count its keys, because all transactions that insert would conflict then.
/// \code
/// nopal::stm::hash_map<std::string, int> stock(1000);
/// nopal::stm::hash_map<int, std::string> names;
/// nopal::stm::atomically([&](nopal::stm::transaction& t) {
///   stock.set(t, "apples", stock.find(t, std::string_view("apples")).value_or(0) + 1);
///   names.set(t, 7, "seven");
/// });
/// \endcode
///
/// \tparam K  any type that can be copied, and whose destructor does not throw.
/// \tparam V  likewise. A value that is not trivially copyable lies in a stm::boxed, so it is
/// destroyed when no transaction can read it any more, on some thread that runs transactions.
/// \tparam Hash  If Hash and Equal have a type is_transparent, as in std::unordered_map, a key is
/// looked up by whatever both take: without a Hash a std::string by a std::string_view or a
/// const char*, of which no string is made.
/// Thread-safety: any number of transactions use it.
/// Complexity: constant on average, if there are about as many buckets as keys.
template <class K, class V, class Hash = typename detail::key_hash<K>::type,
          class Equal = std::equal_to<>, class Locks = default_locks>
class hash_map {
  static constexpr bool has_hash = std::is_copy_constructible_v<Hash>;
  using hash_function = std::conditional_t<has_hash, Hash, detail::refused_hash>;

  template <class T>
  static constexpr bool can_be_kept =
      std::is_copy_constructible_v<T> && std::is_nothrow_destructible_v<T>;
  static constexpr bool is_boxed = !std::is_trivially_copyable_v<V> && can_be_kept<V>;

  /// Whether a key is found by a Q.
  template <class Q>
  static constexpr bool finds_by =
      requires {
        typename Hash::is_transparent;
        typename Equal::is_transparent;
      } && std::is_invocable_r_v<std::size_t, const Hash&, const Q&> &&
      detail::orders<const Equal&, K, Q>;
  /// Whether a Q is not converted to a K.
  template <class Q>
  static constexpr bool stays = finds_by<Q> || !std::is_convertible_v<const Q&, K>;

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
    static_assert(can_be_kept<K>,
                  "nopal::stm::hash_map<K, V>: K must be copyable, and its destructor must not "
                  "throw");
    static_assert(std::is_trivially_copyable_v<V> || is_boxed,
                  "nopal::stm::hash_map<K, V>: V must be copyable, and its destructor must not "
                  "throw; V may be a std::shared_ptr");
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
  /// \throws what the copy of a V throws.
  template <class Reads>
  [[nodiscard]] std::optional<V> find(basic_transaction<Reads>& t, const K& key) const {
    return value_at(t, locate(t, key).second);
  }
  template <class Reads, class Q>
    requires stays<Q>
  [[nodiscard]] std::optional<V> find(basic_transaction<Reads>& t, const Q& key) const {
    return value_at(t, locate(t, checked(key)).second);
  }
  /// Sets the value of a key. Returns whether the key is new.
  /// \throws std::bad_alloc, and what the copies of a K and a V throw.
  template <class Reads>
  bool set(basic_transaction<Reads>& t, const K& key, const V& value) {
    return put(t, key, value, true);
  }
  template <class Reads, class Q>
    requires stays<Q>
  bool set(basic_transaction<Reads>& t, const Q& key, const V& value) {
    return put(t, checked(key), value, true);
  }
  /// Does the same, but the value of a key that is there stays.
  template <class Reads>
  bool insert(basic_transaction<Reads>& t, const K& key, const V& value) {
    return put(t, key, value, false);
  }
  template <class Reads, class Q>
    requires stays<Q>
  bool insert(basic_transaction<Reads>& t, const Q& key, const V& value) {
    return put(t, checked(key), value, false);
  }
  /// Removes a key. Returns whether it was there.
  template <class Reads>
  bool erase(basic_transaction<Reads>& t, const K& key) {
    return take_out(t, locate(t, key));
  }
  template <class Reads, class Q>
    requires stays<Q>
  bool erase(basic_transaction<Reads>& t, const Q& key) {
    return take_out(t, locate(t, checked(key)));
  }
  /// Calls f(key, value) for each key. A value that is boxed is no copy: the reference is valid
  /// until the transaction ends, or sets the value.
  template <class Reads, class F>
  void for_each(basic_transaction<Reads>& t, F&& f) const {
    using given = std::conditional_t<is_boxed, const V&, V>;
    if constexpr (detail::check_part<F&, const K&, given>())
      for (std::size_t i = 0; i < size_; ++i)
        for (const node* n = t.get(buckets_[i], buckets_[i].next); n != nullptr;
             n = t.get(*n, n->next))
          static_cast<void>(f(n->key, value_of(t, *n)));
  }

 private:
  struct node;
  struct link : object<Locks> {
    field<node*, Locks> next{nullptr};
  };
  struct node : link {
    using kept_key = std::conditional_t<can_be_kept<K>, K, detail::refused_value>;
    template <class Q>
      requires std::is_constructible_v<kept_key, const Q&>
    node(const Q& k, const V& v) : key(k), value(v) {}
    const kept_key key;
    std::conditional_t<is_boxed, boxed<V, Locks>, field<detail::shared_value<V>, Locks>> value;
  };

  /// Returns the key. If no key is found by a Q, the compiler says so.
  template <class Q>
  static const auto& checked(const Q& key) noexcept {
    static_assert(
        finds_by<Q>,
        "nopal::stm::hash_map<K, V, Hash, Equal>: the key cannot be converted to K; to "
        "find one by it, Hash and Equal must both take it and have a type is_transparent");
    if constexpr (finds_by<Q>)
      return key;
    else
      return detail::refused_result<const K&>();
  }

  template <class Q>
  [[nodiscard]] link& bucket_of(const Q& key) const {
    return buckets_[detail::mixed_number(hash_(key)) % size_];
  }

  /// Returns the link before the node with this key, and that node; or the last link and nullptr.
  template <class Reads, class Q>
  std::pair<link*, node*> locate(basic_transaction<Reads>& t, const Q& key) const {
    link* before = &bucket_of(key);
    node* n = t.get(*before, before->next);
    while (n != nullptr && !detail::compare(equal_, n->key, key)) {
      before = n;
      n = t.get(*n, n->next);
    }
    return {before, n};
  }

  /// Returns the value, or a reference to it if it is boxed.
  template <class Reads>
  static decltype(auto) value_of(basic_transaction<Reads>& t, const node& n) {
    if constexpr (is_boxed)
      return t.get(n.value);
    else
      return t.get(n, n.value);
  }
  template <class Reads>
  static std::optional<V> value_at(basic_transaction<Reads>& t, const node* n) {
    if (n == nullptr) return std::nullopt;
    return value_of(t, *n);
  }

  template <class Reads, class Q>
  bool put(basic_transaction<Reads>& t, const Q& key, const V& value, bool replaces) {
    if (node* n = locate(t, key).second) {
      if (replaces) replace(t, *n, value);
      return false;
    }
    link& bucket = bucket_of(key);
    node* made = t.template make<node>(key, value);
    made->next.set_value(t.get(bucket, bucket.next));
    t.set(bucket, bucket.next, made);
    return true;
  }
  template <class Reads>
  static void replace(basic_transaction<Reads>& t, node& n, const V& value) {
    if constexpr (is_boxed)
      n.value.set(t, value);
    else
      t.set(n, n.value, value);
  }

  template <class Reads>
  static bool take_out(basic_transaction<Reads>& t, const std::pair<link*, node*>& at) {
    const auto [before, n] = at;
    if (n == nullptr) return false;
    t.set(*before, before->next, t.get(*n, n->next));
    t.destroy(n);
    return true;
  }

  std::size_t size_;
  std::unique_ptr<link[]> buckets_;
  [[no_unique_address]] hash_function hash_;
  [[no_unique_address]] Equal equal_;
};

}  // namespace nopal::stm
