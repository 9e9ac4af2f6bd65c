// SPDX-License-Identifier: Apache-2.0
// This finds the least or the greatest of numbers that lie in a row.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/fold_lanes.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/reduce/folded_blocks.hpp"
#include "nopal/detail/algorithm/search/first_true.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

enum class extreme : unsigned char { least, greatest };

/// The strict orders of the standard, of which a vector can tell which of two numbers is first.
template <class F>
inline constexpr bool orders_numbers =
    is_one_of<F, std::less> || is_one_of<F, std::greater> || std::same_as<F, std::ranges::less> ||
    std::same_as<F, std::ranges::greater>;

/// Returns an iterator of a range from the one that stands for it within the algorithm.
template <class I, class First, class Place>
I rewrapped(const I& first, const First& begin, const Place& at) {
  if constexpr (std::same_as<I, Place>)
    return at;
  else
    return advanced(first, static_cast<std::ptrdiff_t>(at - begin));
}

/// Returns the one of two numbers that comes first by an order; the first if neither does.
template <extreme Which, class Comp, class T>
constexpr T extreme_of(T a, T b) {
  if constexpr (Which == extreme::least)
    return Comp()(b, a) ? b : a;
  else
    return Comp()(a, b) ? b : a;
}

/// Deals the elements of a block that is not empty out in turns, as fold_in_lanes() does.
template <extreme Which, class Comp, class T>
T extreme_in_lanes(const T* p, std::ptrdiff_t n) {
  constexpr std::ptrdiff_t lanes = 256 / sizeof(T);
  T best = *p;
  std::ptrdiff_t i = 0;
  if (n >= 2 * lanes) {
    std::array<T, static_cast<std::size_t>(lanes)> partial;
    for (std::ptrdiff_t k = 0; k < lanes; ++k) partial[static_cast<std::size_t>(k)] = p[k];
    for (i = lanes; i + lanes <= n; i += lanes)
      for (std::ptrdiff_t k = 0; k < lanes; ++k) {
        T& x = partial[static_cast<std::size_t>(k)];
        x = extreme_of<Which, Comp>(x, p[i + k]);
      }
    for (const T x : partial) best = extreme_of<Which, Comp>(best, x);
  }
  for (; i < n; ++i) best = extreme_of<Which, Comp>(best, p[i]);
  return best;
}

/// Returns the number of the first of the extreme elements. Blocks are folded by their value and
/// the number of their first element, and only in the block that has the result it is searched for.
template <extreme Which, class Comp, class T>
std::ptrdiff_t extreme_number(const T* p, std::ptrdiff_t n, std::size_t by_hand,
                              block_limits limits) {
  using number = std::remove_cv_t<T>;
  struct block {
    number value;
    part elements;
  };
  const block best = folded_blocks<block>(
      n, by_hand, limits,
      [&](part b) { return block{extreme_in_lanes<Which, Comp, number>(p + b.from, b.size()), b}; },
      [](const block& a, const block& b) {
        const bool second =
            Which == extreme::least ? Comp()(b.value, a.value) : Comp()(a.value, b.value);
        return second ? b : a;
      });
  const part b = best.elements;
  const std::ptrdiff_t at =
      b.from + first_true(p + b.from, b.size(), number_test<number>{best.value});
  return at == b.to ? b.from : at;  // a NaN equals nothing
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
