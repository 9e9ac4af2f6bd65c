// SPDX-License-Identifier: Apache-2.0
// A radix sort asks for keys in this form: unsigned numbers, whose order is the order of the keys.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"

namespace nopal {
NOPAL_ALGORITHMS {

/// A projection whose results are integers, by which elements can be told apart by their digits.
template <class Key, class I>
concept integer_key =
    projects<Key, I> && std::integral<typename algorithm_detail::element_value<I, Key>::type>;

namespace algorithm_detail {

/// The type of the digits of keys of type K. There are two, so that few sorts are compiled.
template <std::integral K>
using radix_type = std::conditional_t<sizeof(K) <= 4, std::uint32_t, std::uint64_t>;

/// Returns a number that is less than another one if, and only if, its key is. The sign, if there
/// is one, becomes the highest digit: negative keys come first.
template <std::integral K>
constexpr radix_type<K> radix_of(K key) noexcept {
  if constexpr (std::signed_integral<K>) {
    using bits = std::make_unsigned_t<K>;
    constexpr auto sign = static_cast<bits>(bits{1} << (8 * sizeof(K) - 1));
    return static_cast<bits>(static_cast<bits>(key) ^ sign);
  } else {
    return key;
  }
}

/// Calls a key projection, and returns the result in this form.
template <class Key>
struct radix_projection {
  const Key& key;

  template <class X>
  constexpr auto operator()(X&& x) const {
    return radix_of<std::remove_cvref_t<std::invoke_result_t<const Key&, X>>>(
        std::invoke(key, std::forward<X>(x)));
  }
};

template <class I, class Key>
using radix_type_of = radix_type<typename element_value<I, Key>::type>;

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
