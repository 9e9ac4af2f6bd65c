// SPDX-License-Identifier: Apache-2.0
// These find the least and the greatest element of a range that is not empty.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/parts.hpp"
#include "nopal/detail/algorithm/reduce/extreme_number.hpp"
#include "nopal/detail/algorithm/reduce/folded_blocks.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Whether the element at b, which comes behind a, takes the place of a.
template <extreme Which, class I, class Comp, class Proj>
bool replaces(const I& b, const I& a, const Comp& comp, const Proj& proj) {
  if constexpr (Which == extreme::least)
    return std::invoke(comp, std::invoke(proj, *b), std::invoke(proj, *a));
  else
    return std::invoke(comp, std::invoke(proj, *a), std::invoke(proj, *b));
}

/// Returns the place of the first extreme element of a block that is not empty.
template <extreme Which, class I, class Comp, class Proj>
I extreme_of_block(I at, std::ptrdiff_t n, const Comp& comp, const Proj& proj) {
  I best = at;
  for (std::ptrdiff_t left = n; --left != 0;) {
    ++at;
    if (replaces<Which>(at, best, comp, proj)) best = at;
  }
  return best;
}

template <class I>
struct two_places {
  I least;
  I greatest;
};

/// Returns the places of the first of the least elements, and of the last of the greatest, of a
/// block that is not empty.
template <class I, class Comp, class Proj>
two_places<I> extremes_of_block(I at, std::ptrdiff_t n, const Comp& comp, const Proj& proj) {
  if constexpr (moves_freely<I>) {
    const auto found =
        std::ranges::minmax_element(at, advanced(at, n), std::ref(comp), std::ref(proj));
    return {found.min, found.max};
  } else {
    two_places<I> best{at, at};
    while (--n != 0) {
      ++at;
      if (replaces<extreme::least>(at, best.least, comp, proj)) best.least = at;
      if (!replaces<extreme::least>(at, best.greatest, comp, proj)) best.greatest = at;
    }
    return best;
  }
}

/// The limits of a block in which the least or greatest element is sought. A comparison of numbers
/// is cheap, whoever wrote it; what else is compared, and what a projection does, may be dear.
template <class I, class Comp, class Proj>
NOPAL_HIDDEN inline constexpr block_limits limits_of_extremes{
    .least = !numbers_in_a_row<I> || !std::same_as<Proj, std::identity> ? 1
             : orders_numbers<Comp>                                     ? 512
                                                                        : 128,
    .most = numbers_in_a_row<I> && std::same_as<Proj, std::identity> ? 16384 : 2048};

/// Returns the place of the first extreme element.
template <extreme Which, class I, class S, class Comp, class Proj>
I extreme_place(grain g, I first, const S& last, const Comp& comp, const Proj& proj) {
  const auto all = cut(g, first, last);
  constexpr bool numbers = orders_numbers<Comp> && numbers_in_a_row<I> &&
                           std::same_as<Proj, std::identity> && splittable_by<S, I>;
  constexpr block_limits limits = limits_of_extremes<I, Comp, Proj>;
  if constexpr (numbers) {
    return advanced(first,
                    extreme_number<Which, Comp>(all.first, all.size, all.policy.elements, limits));
  } else {
    using place = decltype(advanced(all.first, 0));
    const place at = folded_blocks<place>(
        all.size, all.policy.elements, limits,
        [&](part p) {
          return extreme_of_block<Which>(advanced(all.first, p.from), p.size(), comp, proj);
        },
        [&](place a, place b) { return replaces<Which>(b, a, comp, proj) ? b : a; });
    return rewrapped<I>(first, all.first, at);
  }
}

/// Returns the places of the first of the least elements and of the last of the greatest.
template <class I, class S, class Comp, class Proj>
two_places<I> extreme_places(grain g, I first, const S& last, const Comp& comp, const Proj& proj) {
  const auto all = cut(g, first, last);
  using place = decltype(advanced(all.first, 0));
  const auto at = folded_blocks<two_places<place>>(
      all.size, all.policy.elements, limits_of_extremes<I, Comp, Proj>,
      [&](part p) { return extremes_of_block(advanced(all.first, p.from), p.size(), comp, proj); },
      [&](two_places<place> a, two_places<place> b) {
        return two_places<place>{
            replaces<extreme::least>(b.least, a.least, comp, proj) ? b.least : a.least,
            replaces<extreme::least>(b.greatest, a.greatest, comp, proj) ? a.greatest : b.greatest};
      });
  return {rewrapped<I>(first, all.first, at.least), rewrapped<I>(first, all.first, at.greatest)};
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
