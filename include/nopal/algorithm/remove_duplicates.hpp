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

/// Collects the number of the first element with each key, and the key if that is small.
template <class T, class K, class Elements, class Key, class Hash, class Equal>
struct first_elements {
  using kept = kept_if_small<K, no_value>;
  static constexpr bool keeps = !std::is_void_v<kept>;
  static constexpr bool elements_suffice = true;
  // Found by measurement, as with reduce_by_key.
  static constexpr std::ptrdiff_t most_in_pieces = keeps ? 4096 : 65536;
  using value = std::conditional_t<keeps, K, no_value>;
  using result_type = T;
  using entry = key_entry<value>;

  std::size_t number(std::ptrdiff_t i) const { return number_of(elements, i); }
  kept keep(std::ptrdiff_t i) const
    requires keeps
  {
    return {number(i), K(key_at(i)), {}};
  }
  template <class Kept>
  auto among(Kept* all) const {
    return first_elements<T, K, kept_elements<Kept>, key_of_kept, Hash, Equal>{
        {all}, instance<key_of_kept>, hash_of, equal};
  }
  std::size_t hash(std::ptrdiff_t i) const { return std::invoke(hash_of, key_at(i)); }
  value begin([[maybe_unused]] std::ptrdiff_t i) const {
    if constexpr (keeps)
      return K(key_at(i));
    else
      return {};
  }
  void add(value&, std::ptrdiff_t /*i*/) const {}
  void append(value&, value&&) const {}
  bool same(const entry& e, std::ptrdiff_t i) const {
    return std::invoke(equal, key_of(e), key_at(i));
  }
  bool same(const entry& e, const entry& other) const {
    return std::invoke(equal, key_of(e), key_of(other));
  }
  result_type result(entry&& e) const { return element(e.first); }
  result_type element(std::size_t number) const {
    return elements[static_cast<std::ptrdiff_t>(number)];
  }

  decltype(auto) key_of(const entry& e) const {
    if constexpr (keeps)
      return (e.value);
    else
      return key_at(static_cast<std::ptrdiff_t>(e.first));
  }
  decltype(auto) key_at(std::ptrdiff_t i) const { return projected(elements, i, key); }

  Elements elements;
  const Key& key;
  const Hash& hash_of;
  const Equal& equal;
};

struct remove_duplicates_function {
  static constexpr auto kind = algorithm_kind::other;
  using functions = std::tuple<std::identity, standard_hash, std::equal_to<>>;

  template <class I, multipass_by<I> S, projects<I> Key = std::identity, class Hash = standard_hash,
            class Equal = std::equal_to<>>
    requires tells_apart<hash_of_keys<Hash, key_type<I, Key>>, Equal, key_type<I, Key>> &&
             std::constructible_from<std::iter_value_t<I>, std::iter_reference_t<I>>
  std::vector<std::iter_value_t<I>> operator()(grain /*by hand*/, I first, S last, Key key = {},
                                               Hash hash = {}, Equal equal = {}) const {
    const auto all = numbered(std::move(first), last);
    const auto& key_of = projection_to_end<I>(key);
    const auto& hash_of = hash_meant<key_type<I, Key>>(hash);
    using collect = first_elements<std::iter_value_t<I>, key_type<I, Key>, decltype(seen(all)),
                                   std::remove_cvref_t<decltype(key_of)>,
                                   hash_of_keys<Hash, key_type<I, Key>>, Equal>;
    const collect to{seen(all), key_of, hash_of, equal};
    return key_collector<collect>(to).run(all.size());
  }
};

}  // namespace algorithm_detail

/// Returns the elements of a range without those that equal an earlier one: remove_duplicates(
/// range, key = {}, hash = {}, equal = {}) or remove_duplicates(first, last, key = {}, …). The
/// range stays as it is, and need not be sorted.
/// \code
/// const std::vector<int> v{3, 1, 3, 2, 1};
/// const std::vector<int> once = nopal::remove_duplicates(v);  // 3 1 2
/// \endcode
///
/// \param range  as with for_each: one without random access or a known size is walked first; the
/// same goes for first and last.
/// \param key  a projection: elements with equal results are duplicates.
/// \param hash, equal  of keys, as std::unordered_set takes them.
/// All functions are called by several workers at once, as const. key is called several times for
/// an element, and then with the same result. Tasks are as with for_each.
/// \returns a std::vector of copies of the first elements of each kind, in the order of the range.
/// \throws whatever one of the functions, or a copy, throws; std::bad_alloc. If the range is
/// walked, also what for_each says.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: as with reduce_by_key, apart from op.
/// Source: parlaylib's function of this name, with an order that is known.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::remove_duplicates_function>
    remove_duplicates{};

}  // namespace parallel
}  // namespace nopal
