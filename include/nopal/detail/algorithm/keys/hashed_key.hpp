// SPDX-License-Identifier: Apache-2.0
// These say what the algorithms that look for equal keys ask of keys.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

template <class I, class Key>
using key_type = typename element_value<I, Key>::type;

/// Stands for the standard's hash of the keys, whatever these are.
struct standard_hash {};

template <class Hash, class K>
using hash_of_keys = std::conditional_t<std::same_as<Hash, standard_hash>, std::hash<K>, Hash>;

/// Returns the hash that is meant. Keys may be proxies, such as those of a std::vector<bool>, so
/// their type is given.
template <class K, class Hash>
constexpr decltype(auto) hash_meant(const Hash& h) {
  if constexpr (std::same_as<Hash, standard_hash>)
    return std::hash<K>();
  else
    return (h);
}

template <class P>
concept is_a_pair = requires(P& p) {
  p.first;
  p.second;
};

/// The first or the second of a pair, as a projection.
template <std::size_t N>
struct element_of_pair {
  template <is_a_pair P>
  constexpr decltype(auto) operator()(const P& p) const noexcept {
    if constexpr (N == 0)
      return (p.first);
    else
      return (p.second);
  }
  /// This takes a temporary pair, so that it returns a value and not a reference.
  template <is_a_pair P>
    requires(!std::is_reference_v<P>)
  constexpr auto operator()(P&& p) const {
    if constexpr (N == 0)
      return std::move(p.first);
    else
      return std::move(p.second);
  }
};

}  // namespace algorithm_detail

/// A function that hashes keys of type K, and one that says whether two are equal; both are called
/// by several workers at once.
template <class Hash, class Equal, class K>
concept tells_apart =
    shared_callable<Hash, const K&> &&
    std::convertible_to<std::invoke_result_t<const Hash&, const K&>, std::size_t> &&
    std::predicate<const Equal&, const K&, const K&>;

}  // namespace parallel
}  // namespace nopal
