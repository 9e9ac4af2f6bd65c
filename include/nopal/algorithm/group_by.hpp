// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/keys/collect_keys.hpp"
#include "nopal/detail/algorithm/keys/hashed_key.hpp"
#include "nopal/detail/algorithm/keys/kept_element.hpp"
#include "nopal/detail/algorithm/keys/key_table.hpp"
#include "nopal/detail/algorithm/keys/numbered.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// A key, and the values of its elements in pieces, one behind the other.
template <class K, class V>
struct values_in_pieces {
  K key;
  std::vector<V> first;
  std::vector<std::vector<V>> more;
};

/// Collects a key and the values of its elements.
template <class K, class V, class Elements, class Key, class Value, class Hash, class Equal>
struct grouped_values {
  using value = values_in_pieces<K, V>;
  using result_type = std::pair<K, std::vector<V>>;
  using entry = key_entry<value>;
  using kept = kept_if_small<K, V>;
  static constexpr bool elements_suffice = false;
  // Found by measurement: a key has a vector in each piece.
  static constexpr std::ptrdiff_t most_in_pieces = std::is_void_v<kept> ? 4096 : 64;

  std::size_t number(std::ptrdiff_t i) const { return number_of(elements, i); }
  kept keep(std::ptrdiff_t i) const
    requires(!std::is_void_v<kept>)
  {
    return {number(i), K(key_at(i)), V(projected(elements, i, value_of))};
  }
  template <class Kept>
  auto among(Kept* all) const {
    using value_of_one = value_of_kept<decltype(projected(elements, 0, value_of))>;
    return grouped_values<K, V, kept_elements<Kept>, key_of_kept, value_of_one, Hash, Equal>{
        {all}, instance<key_of_kept>, instance<value_of_one>, hash_of, equal};
  }
  std::size_t hash(std::ptrdiff_t i) const { return std::invoke(hash_of, key_at(i)); }
  value begin(std::ptrdiff_t i) const {
    value v{K(key_at(i)), {}, {}};
    add(v, i);
    return v;
  }
  void add(value& v, std::ptrdiff_t i) const {
    v.first.push_back(projected(elements, i, value_of));
  }
  void append(value& v, value&& next) const {
    v.more.push_back(std::move(next.first));
    for (std::vector<V>& piece : next.more) v.more.push_back(std::move(piece));
  }
  bool same(const entry& e, std::ptrdiff_t i) const {
    return std::invoke(equal, e.value.key, key_at(i));
  }
  bool same(const entry& e, const entry& other) const {
    return std::invoke(equal, e.value.key, other.value.key);
  }
  result_type result(entry&& e) const {
    std::vector<V> all = std::move(e.value.first);
    if (!e.value.more.empty()) {
      std::size_t size = all.size();
      for (const std::vector<V>& piece : e.value.more) size += piece.size();
      all.reserve(size);
      for (std::vector<V>& piece : e.value.more)
        all.insert(all.end(), std::move_iterator(piece.begin()), std::move_iterator(piece.end()));
    }
    return {std::move(e.value.key), std::move(all)};
  }

  decltype(auto) key_at(std::ptrdiff_t i) const { return projected(elements, i, key); }

  Elements elements;
  const Key& key;
  const Value& value_of;
  const Hash& hash_of;
  const Equal& equal;
};

struct group_by_function {
  static constexpr auto kind = algorithm_kind::other;
  using functions = std::tuple<std::identity, std::identity, standard_hash, std::equal_to<>>;

  template <class I, multipass_by<I> S, projects<I> Key, projects<I> Value = std::identity,
            class Hash = standard_hash, class Equal = std::equal_to<>>
    requires tells_apart<hash_of_keys<Hash, key_type<I, Key>>, Equal, key_type<I, Key>>
  auto operator()(grain /*by hand*/, I first, S last, Key key, Value value = {}, Hash hash = {},
                  Equal equal = {}) const {
    const auto all = numbered(std::move(first), last);
    const auto& key_of = projection_to_end<I>(key);
    const auto& hash_of = hash_meant<key_type<I, Key>>(hash);
    const auto& value_of = projection_to_end<I>(value);
    using collect = grouped_values<key_type<I, Key>, typename element_value<I, Value>::type,
                                   decltype(seen(all)), std::remove_cvref_t<decltype(key_of)>,
                                   std::remove_cvref_t<decltype(value_of)>,
                                   hash_of_keys<Hash, key_type<I, Key>>, Equal>;
    const collect to{seen(all), key_of, value_of, hash_of, equal};
    return key_collector<collect>(to).run(all.size());
  }
};

}  // namespace algorithm_detail

/// Brings together the elements with the same key, wherever they are in the range: group_by(range,
/// key, value = {}, hash = {}, equal = {}) or group_by(first, last, key, value = {}, …).
/// \code
/// const std::vector<std::string> words{"fig", "pea", "plum"};
/// const auto by_length = nopal::group_by(words, &std::string::size);
/// // {3, {"fig", "pea"}}, {4, {"plum"}}
/// \endcode
///
/// \param range  as with for_each: one without random access or a known size is walked first; the
/// same goes for first and last.
/// \param key  a projection: elements with equal results belong together.
/// \param value  a projection: what is kept of an element.
/// \param hash, equal  of keys, as std::unordered_map takes them.
/// All functions are called by several workers at once, as const. key is called several times for
/// an element, and then with the same result. Tasks are as with for_each.
/// \returns a std::vector of std::pair: each key, copied from the first element that has it, and a
/// std::vector of the values, in the order of the range. The keys are in the order in which they
/// first appear.
/// \throws whatever one of the functions, or a copy, throws; std::bad_alloc. If the range is
/// walked, also what for_each says.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: as with reduce_by_key, apart from op. But one strand puts together the values of a
/// key.
/// Source: parlaylib's group_by_key, with an order that is known.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::group_by_function>
    group_by{};

}  // namespace parallel
}  // namespace nopal
