// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/search/first_match.hpp"
#include "nopal/detail/algorithm/search/first_true.hpp"
#include "nopal/detail/algorithm/search/relations.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Returns the first element, and the one behind it, of which f says true; with Swapped of the
/// second and the first. Otherwise the second is the end.
template <bool Swapped, class I, class S, class F, class Proj>
both<I, I> first_neighbours(grain g, I first, S last, const F& f, const Proj& proj) {
  if (first == last) return {first, first};
  decltype(auto) to_its_end = to_end<projected_reference<I, Proj>, projected_reference<I, Proj>>(f);
  decltype(auto) projection = projection_to_end<I>(proj);
  I second = std::ranges::next(first);
  return first_where_both(g.elements, std::move(first), last, std::move(second), last,
                          relation_of<true, Swapped, I, I>(to_its_end, projection, projection));
}

struct adjacent_find_function {
  static constexpr auto kind = algorithm_kind::other;
  using function = std::ranges::equal_to;

  template <class I, multipass_by<I> S, class Pred = std::ranges::equal_to,
            projects<I> Proj = std::identity>
    requires tells_of_both<Pred, I, Proj>
  I operator()(grain g, I first, S last, Pred pred = {}, Proj proj = {}) const {
    auto at = first_neighbours<false>(g, std::move(first), last, pred, proj);
    return at.second == last ? std::move(at.second) : std::move(at.first);
  }
};

struct is_sorted_until_function {
  static constexpr auto kind = algorithm_kind::other;
  using function = std::ranges::less;

  template <class I, multipass_by<I> S, class Comp = std::ranges::less,
            projects<I> Proj = std::identity>
    requires tells_of_both<Comp, I, Proj>
  I operator()(grain g, I first, S last, Comp comp = {}, Proj proj = {}) const {
    return first_neighbours<true>(g, std::move(first), last, comp, proj).second;
  }
};

struct is_sorted_function {
  static constexpr auto kind = algorithm_kind::other;
  using function = std::ranges::less;

  template <class I, multipass_by<I> S, class Comp = std::ranges::less,
            projects<I> Proj = std::identity>
    requires tells_of_both<Comp, I, Proj>
  bool operator()(grain g, I first, S last, Comp comp = {}, Proj proj = {}) const {
    return first_neighbours<true>(g, std::move(first), last, comp, proj).second == last;
  }
};

}  // namespace algorithm_detail

/// Says whether the elements of a range are sorted: is_sorted(range, comp = {}, proj = {}) or
/// is_sorted(first, last, comp = {}, proj = {}), each also with nopal::grain{n} as the first
/// argument. comp is std::ranges::less if it is not given.
///
/// The search for two elements that are out of order ends early, as that of find_if does. Numbers
/// that lie in a row are compared by the vector if comp is a comparison of the standard.
/// \code
/// std::vector<int> v(1000, 2);
/// bool sorted = nopal::is_sorted(v);
/// auto sorted_end = nopal::is_sorted_until(v, std::ranges::greater{});
/// auto twins = nopal::adjacent_find(v);
/// \endcode
///
/// \param range  as with find_if; the same goes for first and last.
/// \param comp, proj  called by several workers at once, as const. Tasks are as with for_each.
/// \throws as find_if.
/// Thread-safety: as with find_if.
/// Complexity: as with find_if, for the first elements that are out of order.
/// Source: as find_if.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::is_sorted_function>
    is_sorted{};

/// is_sorted_until(range, comp = {}, proj = {}) returns the end of the longest part that begins the
/// range and is sorted. Everything else is as with is_sorted.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::is_sorted_until_function>
    is_sorted_until{};

/// adjacent_find(range, pred = {}, proj = {}) returns the first element for which
/// pred(proj(element), proj(next)) is true with the one behind it, or the end. pred is
/// std::ranges::equal_to if it is not given. Everything else is as with is_sorted.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::adjacent_find_function>
    adjacent_find{};

}  // namespace parallel
}  // namespace nopal
