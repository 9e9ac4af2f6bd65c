// SPDX-License-Identifier: Apache-2.0
// This looks several keys up in a sorted range, in step with each other.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/prefetch.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

enum class bound : unsigned char { lower, upper };

/// A sorted range of known size, and how keys are compared with its elements.
template <class I, class Comp, class Proj, class KeyProj>
struct sorted_elements {
  I first;
  std::ptrdiff_t size;
  const Comp& comp;
  const Proj& proj;
  const KeyProj& key_proj;

  /// Whether the bound of a key lies behind element i.
  template <bound Which, class Key>
  [[nodiscard]] bool behind(std::ptrdiff_t i, const Key& key) const {
    if constexpr (Which == bound::lower)
      return std::invoke(comp, std::invoke(proj, *advanced(first, i)), std::invoke(key_proj, *key));
    else
      return !std::invoke(comp, std::invoke(key_proj, *key),
                          std::invoke(proj, *advanced(first, i)));
  }
};

/// So many keys are looked up at the same time. Each step of a lookup waits for an element, from
/// memory if the range is long; meanwhile the other lookups make theirs.
inline constexpr std::size_t lookups_at_once = 16;

/// The bounds of keys, as numbers of elements.
using found_bounds = std::array<std::ptrdiff_t, lookups_at_once>;

/// Whether so many elements are more than the first cache holds, so that it pays to fetch them.
template <class I>
constexpr bool fetch_first(std::ptrdiff_t size) {
  return fetched_ahead<I> &&
         size * static_cast<std::ptrdiff_t>(sizeof(std::iter_value_t<I>)) > 16384;
}

/// Finds the bounds of the keys to which the iterators `keys` refer. All lookups make the same
/// steps, with an addition instead of a branch: none waits for another, and no branch is predicted
/// wrongly.
/// \tparam Number  how many keys there are, as a type that is converted to the number.
template <bound Which, bool Fetch, class Sorted, class Key, class Number>
void find_bounds(const Sorted& sorted, const std::array<Key, lookups_at_once>& keys, Number number,
                 found_bounds& found) {
  found_bounds from{};
  for (std::ptrdiff_t length = sorted.size; length > 1;) {
    const std::ptrdiff_t half = length / 2;
    length -= half;
    for (std::size_t k = 0; k < number; ++k)
      from[k] += sorted.template behind<Which>(from[k] + half - 1, keys[k]) ? half : 0;
    if constexpr (Fetch)
      for (std::size_t k = 0; k < number; ++k)
        fetch_ahead<false>(sorted.first, (from[k] + length / 2 - 1) *
                                             static_cast<std::ptrdiff_t>(sizeof(*sorted.first)));
  }
  for (std::size_t k = 0; k < number; ++k)
    found[k] = from[k] + std::ptrdiff_t{sorted.template behind<Which>(from[k], keys[k])};
}

/// Finds the bounds of at most as many keys as are looked up at once.
template <bound Which, class Sorted, class Key>
void find_some_bounds(const Sorted& sorted, const std::array<Key, lookups_at_once>& keys,
                      std::size_t number, found_bounds& found) {
  using all = std::integral_constant<std::size_t, lookups_at_once>;
  if (sorted.size == 0)
    found = {};
  else if (number != lookups_at_once)
    find_bounds<Which, false>(sorted, keys, number, found);
  else if (fetch_first<decltype(sorted.first)>(sorted.size))
    find_bounds<Which, true>(sorted, keys, all(), found);
  else
    find_bounds<Which, false>(sorted, keys, all(), found);
}

/// Looks up the keys of a block and calls write(number of the key in the block, its bound, key).
template <bound Which, class Sorted, class I, class Write>
void look_up_block(const Sorted& sorted, I key, std::ptrdiff_t n, const Write& write) {
  std::array<I, lookups_at_once> keys{};
  found_bounds found;
  for (std::ptrdiff_t i = 0; i < n;) {
    std::size_t number = 0;
    for (std::ptrdiff_t left = n - i; left != 0 && number < lookups_at_once; step_on(key, --left))
      keys[number++] = key;
    find_some_bounds<Which>(sorted, keys, number, found);
    for (std::size_t k = 0; k < number; ++k) write(i++, found[k], keys[k]);
  }
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
