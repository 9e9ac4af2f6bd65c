// SPDX-License-Identifier: Apache-2.0
// Plain numbers in their natural order are sorted by vector instructions.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "nopal/algorithm/grain.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

enum class key_order : std::uint8_t { ascending, descending, other };

/// The order in which a comparator puts numbers of type T.
template <class T, class Comp>
inline constexpr key_order order_of_keys = key_order::other;
template <class T>
inline constexpr key_order order_of_keys<T, std::less<T>> = key_order::ascending;
template <class T>
inline constexpr key_order order_of_keys<T, std::less<>> = key_order::ascending;
template <class T>
inline constexpr key_order order_of_keys<T, std::ranges::less> = key_order::ascending;
template <class T>
inline constexpr key_order order_of_keys<T, std::greater<T>> = key_order::descending;
template <class T>
inline constexpr key_order order_of_keys<T, std::greater<>> = key_order::descending;
template <class T>
inline constexpr key_order order_of_keys<T, std::ranges::greater> = key_order::descending;

/// Whether elements are integers whose order is their natural one, or the reverse. Equal ones
/// cannot be told apart, so that every sort of them is stable.
template <class I, class Comp, class Proj>
inline constexpr bool sorts_integers =
    std::is_pointer_v<I> && std::same_as<Proj, std::identity> &&
    std::integral<std::remove_pointer_t<I>> &&
    order_of_keys<std::remove_pointer_t<I>, Comp> != key_order::other;

/// Whether elements are numbers that a library of vector instructions may know how to sort.
template <class I, class Comp, class Proj>
inline constexpr bool sorts_keys =
    std::is_pointer_v<I> && std::same_as<Proj, std::identity> &&
    ((std::integral<std::remove_pointer_t<I>> && sizeof(std::remove_pointer_t<I>) > 1) ||
     std::same_as<std::remove_pointer_t<I>, float> ||
     std::same_as<std::remove_pointer_t<I>, double>) &&
    order_of_keys<std::remove_pointer_t<I>, Comp> != key_order::other;

enum class key_kind : std::uint8_t { unsigned_integer, signed_integer, floating };

/// Sorts n keys in place, on the calling strand. Of floating-point numbers -0.0 and 0.0 are equal
/// and may come in either order. What is no number comes last.
using key_sorter = void (*)(void* keys, std::size_t n);

/// Returns how keys are sorted; nullptr if the library has been built without that, or it does not
/// know such keys.
key_sorter sorter_of_keys(key_kind kind, std::size_t bytes, key_order order) noexcept;

/// Returns the sorter of what I points to.
template <class I, class Comp>
key_sorter sorter_for() noexcept {
#ifdef NOPAL_SERIAL
  return nullptr;  // it is in the library, and programs link the serial elision without that
#else
  using key = std::remove_pointer_t<I>;
  constexpr key_kind kind = std::floating_point<key>    ? key_kind::floating
                            : std::signed_integral<key> ? key_kind::signed_integer
                                                        : key_kind::unsigned_integer;
  return sorter_of_keys(kind, sizeof(key), order_of_keys<key, Comp>);
#endif
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
