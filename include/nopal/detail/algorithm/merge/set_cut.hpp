// SPDX-License-Identifier: Apache-2.0
// Two sorted ranges are cut at the same place in their order, for operations on sets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/merge/merge_split.hpp"
#include "nopal/detail/algorithm/ordering.hpp"
#include "nopal/detail/algorithm/parts.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Two sorted ranges, their comparator and their projections.
template <class I1, class I2, class Comp, class Proj1, class Proj2>
struct sorted_ranges {
  I1 first1;
  std::ptrdiff_t n1;
  I2 first2;
  std::ptrdiff_t n2;
  const Comp& comp;
  const Proj1& proj1;
  const Proj2& proj2;

  [[nodiscard]] std::ptrdiff_t size() const noexcept { return n1 + n2; }
};

/// Where two ranges are cut: so many elements come before the cut.
struct set_cut {
  std::ptrdiff_t first = 0;
  std::ptrdiff_t second = 0;
};

/// Returns the elements of a sorted range that are equal to x, of which `near` is one or where one
/// would be.
template <class I, class Proj, class Comp, class X, class ProjX>
part equal_range(I first, part all, std::ptrdiff_t near, const Proj& proj, const Comp& comp,
                 const X& x, const ProjX& proj_x) {
  const ordering<Comp, Proj, ProjX> before(comp, proj, proj_x);
  const ordering<Comp, ProjX, Proj> after(comp, proj_x, proj);
  return {first_without({all.from, near},
                        [&](std::ptrdiff_t i) { return before(*advanced(first, i), x); }),
          first_without({near, all.to},
                        [&](std::ptrdiff_t i) { return !after(x, *advanced(first, i)); })};
}

/// Cuts two ranges with about `count` elements before the cut.
///
/// The operations pair equal elements of the two ranges, in their order. So if the cut is among
/// equal elements, as many of both ranges come before it, or all of the range that has fewer. Then
/// what an operation makes of what comes before and what it makes of what comes after is, one
/// behind the other, what it makes of all; and even if all elements are equal, the parts are of one
/// size.
template <class I1, class I2, class Comp, class Proj1, class Proj2>
set_cut cut_sets(const sorted_ranges<I1, I2, Comp, Proj1, Proj2>& r, std::ptrdiff_t count) {
  const two_parts all{{0, r.n1}, {0, r.n2}};
  const ordering<Comp, Proj2, Proj1> second_before_first(r.comp, r.proj2, r.proj1);
  const std::ptrdiff_t i = rank_in_first(r.first1, r.first2, all, count, second_before_first);
  const std::ptrdiff_t j = count - i;
  const auto among_equals = [&](const auto& x, const auto& proj) -> set_cut {
    const part e1 = equal_range(r.first1, all.first, i, r.proj1, r.comp, x, proj);
    const part e2 = equal_range(r.first2, all.second, j, r.proj2, r.comp, x, proj);
    const std::ptrdiff_t before = count - e1.from - e2.from;
    const std::ptrdiff_t paired = std::min(e1.size(), e2.size());
    const std::ptrdiff_t place = before <= 2 * paired ? before / 2 : before - paired;
    return {e1.from + std::min(place, e1.size()), e2.from + std::min(place, e2.size())};
  };
  if (i == r.n1 && j == r.n2) return {i, j};
  const bool next_is_second =
      i == r.n1 ||
      (j != r.n2 && second_before_first(*advanced(r.first2, j), *advanced(r.first1, i)));
  if (next_is_second) return among_equals(*advanced(r.first2, j), r.proj2);
  return among_equals(*advanced(r.first1, i), r.proj1);
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
