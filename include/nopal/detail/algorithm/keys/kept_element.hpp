// SPDX-License-Identifier: Apache-2.0
// What belongs together is found faster if keys and values are copied than if they are looked for
// wherever their elements are.
#pragma once

#include <cstddef>
#include <type_traits>

#include "nopal/algorithm/grain.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// A copy of the key and the value of an element, and the element's number.
template <class K, class V>
struct kept_element {
  std::size_t number;
  K key;
  V value;
};

/// Stands for the value where an algorithm looks at keys alone.
struct no_value {};

/// Whether a copy costs next to nothing, and need not be destroyed.
template <class T>
inline constexpr bool cheap_copy =
    std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T>;

/// The copy of an element, or void if it would be large or dear.
template <class K, class V>
using kept_if_small =
    std::conditional_t<cheap_copy<K> && cheap_copy<V> && sizeof(kept_element<K, V>) <= 40,
                       kept_element<K, V>, void>;

/// Elements that have been kept, by their places.
template <class Kept>
struct kept_elements {
  Kept* all;

  Kept& operator[](std::ptrdiff_t i) const noexcept { return all[i]; }
};

struct key_of_kept {
  template <class Kept>
  const auto& operator()(const Kept& e) const noexcept {
    return e.key;
  }
};

/// Gives a value as the projection of the range gives it: as a reference of that kind, or as a
/// value.
template <class Reference>
struct value_of_kept {
  template <class Kept>
  Reference operator()(Kept& e) const noexcept {
    return static_cast<Reference>(e.value);
  }
};

/// A function object to refer to.
template <class F>
inline constexpr F instance{};

/// Returns the number in its range of element i.
template <class Elements>
std::size_t number_of(const Elements& /*all*/, std::ptrdiff_t i) noexcept {
  return static_cast<std::size_t>(i);
}
template <class Kept>
std::size_t number_of(const kept_elements<Kept>& all, std::ptrdiff_t i) noexcept {
  return all[i].number;
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
