// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/fold_leaf.hpp"
#include "nopal/detail/algorithm/keys/collect_keys.hpp"
#include "nopal/detail/algorithm/keys/hashed_key.hpp"
#include "nopal/detail/algorithm/keys/kept_element.hpp"
#include "nopal/detail/algorithm/keys/key_table.hpp"
#include "nopal/detail/algorithm/keys/numbered.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Collects a key and the combined values of its elements.
template <class K, class V, class U, class Elements, class Op, class Key, class Value, class Hash,
          class Equal>
struct reduced_values {
  using value = std::pair<K, U>;
  using kept = kept_if_small<K, V>;
  static constexpr bool elements_suffice = false;
  // Found by measurement.
  static constexpr std::ptrdiff_t most_in_pieces = std::is_void_v<kept> ? 65536 : 4096;
  using result_type = value;
  using entry = key_entry<value>;

  std::size_t number(std::ptrdiff_t i) const { return number_of(elements, i); }
  kept keep(std::ptrdiff_t i) const
    requires(!std::is_void_v<kept>)
  {
    return {number(i), K(key_at(i)), V(value_at(i))};
  }
  template <class Kept>
  auto among(Kept* all) const {
    using value_of_one = value_of_kept<decltype(value_at(0))>;
    return reduced_values<K, V, U, kept_elements<Kept>, Op, key_of_kept, value_of_one, Hash, Equal>{
        {all}, op, instance<key_of_kept>, instance<value_of_one>, hash_of, equal};
  }
  std::size_t hash(std::ptrdiff_t i) const { return std::invoke(hash_of, key_at(i)); }
  value begin(std::ptrdiff_t i) const { return {K(key_at(i)), U(value_at(i))}; }
  void add(value& v, std::ptrdiff_t i) const {
    v.second = static_cast<U>(std::invoke(op, std::move(v.second), value_at(i)));
  }
  void append(value& v, value&& more) const {
    v.second = combined<U>(op, std::move(v.second), std::move(more.second));
  }
  bool same(const entry& e, std::ptrdiff_t i) const {
    return std::invoke(equal, e.value.first, key_at(i));
  }
  bool same(const entry& e, const entry& other) const {
    return std::invoke(equal, e.value.first, other.value.first);
  }
  result_type result(entry&& e) const { return std::move(e.value); }

  decltype(auto) key_at(std::ptrdiff_t i) const { return projected(elements, i, key); }
  decltype(auto) value_at(std::ptrdiff_t i) const { return projected(elements, i, value_of); }

  Elements elements;
  const Op& op;
  const Key& key;
  const Value& value_of;
  const Hash& hash_of;
  const Equal& equal;
};

struct reduce_by_key_function {
  static constexpr auto kind = algorithm_kind::other;
  using functions = std::tuple<std::plus<>, element_of_pair<0>, element_of_pair<1>, standard_hash,
                               std::equal_to<>>;

  template <class I, multipass_by<I> S, class Op = std::plus<>,
            projects<I> Key = element_of_pair<0>, projects<I> Value = element_of_pair<1>,
            class Hash = standard_hash, class Equal = std::equal_to<>>
    requires tells_apart<hash_of_keys<Hash, key_type<I, Key>>, Equal, key_type<I, Key>> &&
             folds<Op, typename element_value<I, Value>::type, I, Value>
  auto operator()(grain /*by hand*/, I first, S last, Op op = {}, Key key = {}, Value value = {},
                  Hash hash = {}, Equal equal = {}) const {
    using V = typename element_value<I, Value>::type;
    using U = folded_type<V, I, Op, Value>;
    const auto all = numbered(std::move(first), last);
    const auto& operation = operation_to_end<V, I, Value>(op);
    const auto& key_of = projection_to_end<I>(key);
    const auto& hash_of = hash_meant<key_type<I, Key>>(hash);
    const auto& value_of = projection_to_end<I>(value);
    using collect = reduced_values<
        key_type<I, Key>, V, U, decltype(seen(all)), std::remove_cvref_t<decltype(operation)>,
        std::remove_cvref_t<decltype(key_of)>, std::remove_cvref_t<decltype(value_of)>,
        hash_of_keys<Hash, key_type<I, Key>>, Equal>;
    const collect to{seen(all), operation, key_of, value_of, hash_of, equal};
    return key_collector<collect>(to).run(all.size());
  }
};

}  // namespace algorithm_detail

/// Combines the values of all elements with the same key, wherever they are in the range:
/// reduce_by_key(range, op = {}, key = {}, value = {}, hash = {}, equal = {}) or
/// reduce_by_key(first, last, op = {}, …). By itself an element is a pair of a key and a value, and
/// op is std::plus. Keys and values that are elsewhere are found by their number.
///
/// The values of a key are combined in the order of the range, with brackets anywhere. The result
/// never depends on the number of workers or on what was stolen: it is the same bit for bit each
/// time if hash is.
/// \code
/// const std::vector<std::pair<std::string, int>> sold{{"fig", 2}, {"pea", 1}, {"fig", 3}};
/// const auto sums = nopal::reduce_by_key(sold);  // {"fig", 5}, {"pea", 1}
/// const std::vector<int> keys{7, 5, 7}, values{1, 2, 3};
/// const auto products = nopal::reduce_by_key(
///     std::size_t{0}, keys.size(), std::multiplies<>(), [&](std::size_t i) { return keys[i]; },
///     [&](std::size_t i) { return values[i]; });  // {7, 3}, {5, 2}
/// \endcode
///
/// \param range  as with for_each: one without random access or a known size is walked first; the
/// same goes for first and last.
/// \param op  as with fold: associative; it need not be commutative.
/// \param key, value  projections of elements.
/// \param hash, equal  of keys, as std::unordered_map takes them.
/// All functions are called by several workers at once, as const. key is called several times for
/// an element, and then with the same result. Tasks are as with for_each.
/// \returns a std::vector of std::pair: each key, copied from the first element that has it, and
/// what op makes of the values. The keys are in the order in which they first appear.
/// \throws whatever one of the functions, or a copy, throws; std::bad_alloc. If the range is
/// walked, also what for_each says.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: as many calls of op as there are elements, less one for each key; two or three calls
/// of key and about one of equal for each element. O(n) memory. A key that many elements have is
/// shared out.
/// Source: parlaylib's function of this name, with an order that is known.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::reduce_by_key_function>
    reduce_by_key{};

}  // namespace parallel
}  // namespace nopal
