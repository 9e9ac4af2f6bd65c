// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/reduce/extremes.hpp"
#include "nopal/detail/algorithm/search/first_true.hpp"
#include "nopal/detail/platform/assert.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Finds the first of the least or greatest elements.
template <extreme Which>
struct extreme_element_function {
  static constexpr auto kind = algorithm_kind::other;
  using function = std::ranges::less;

  template <class I, multipass_by<I> S, class Comp = std::ranges::less,
            projects<I> Proj = std::identity>
    requires tells_of_both<Comp, I, Proj>
  I operator()(grain g, I first, S last, Comp comp = {}, Proj proj = {}) const {
    if (first == last) return first;
    return extreme_place<Which, I>(g, first, last, comp, projection_to_end<I>(proj));
  }
};

struct minmax_element_function {
  static constexpr auto kind = algorithm_kind::other;
  using function = std::ranges::less;

  template <class I, multipass_by<I> S, class Comp = std::ranges::less,
            projects<I> Proj = std::identity>
    requires tells_of_both<Comp, I, Proj>
  std::ranges::minmax_element_result<I> operator()(grain g, I first, S last, Comp comp = {},
                                                   Proj proj = {}) const {
    if (first == last) return {first, first};
    auto [least, greatest] = extreme_places<I>(g, first, last, comp, projection_to_end<I>(proj));
    return {std::move(least), std::move(greatest)};
  }
};

/// Integers one behind the other, as they are. Nobody asks for the least of those: min(a, b) would
/// mean one of the two, and must not be taken for a range from a up to, but not including, b.
template <class I, class Proj>
concept just_integers =
    std::integral<std::iter_value_t<I>> && std::same_as<Proj, std::identity> &&
    std::same_as<I, std::ranges::iterator_t<
                        std::ranges::iota_view<std::iter_value_t<I>, std::iter_value_t<I>>>>;

/// Returns the value of an extreme element of a range that is not empty.
template <extreme Which>
struct extreme_value_function {
  static constexpr auto kind = algorithm_kind::other;
  using function = std::ranges::less;

  template <class I, multipass_by<I> S, class Comp = std::ranges::less,
            projects<I> Proj = std::identity>
    requires(!just_integers<I, Proj>) && tells_of_both<Comp, I, Proj> &&
            std::constructible_from<std::iter_value_t<I>, std::iter_reference_t<I>>
  std::iter_value_t<I> operator()(grain g, I first, S last, Comp comp = {}, Proj proj = {}) const {
    NOPAL_ASSERT(!(first == last));
    return std::iter_value_t<I>(
        *extreme_place<Which, I>(g, first, last, comp, projection_to_end<I>(proj)));
  }
};

}  // namespace algorithm_detail

/// Returns an iterator to the first of the least elements: min_element(range, comp = {}, proj = {})
/// or min_element(first, last, comp = {}, proj = {}), each also with nopal::grain{n} as the first
/// argument. Elements are compared by comp(proj(a), proj(b)); comp is std::ranges::less if it is
/// not given.
///
/// The result is that of std::ranges::min_element, by any number of workers. Numbers that lie in a
/// row are compared by the vector if they are compared by std::less, std::greater or their like.
/// \code
/// std::vector<int> v{3, 1, 4, 1, 5};
/// auto least = nopal::min_element(v);                          // the first 1
/// auto greatest = nopal::max_element(v.begin(), v.end());      // 5
/// auto [low, high] = nopal::minmax_element(v);
/// int smallest = nopal::min(v);
/// auto nearest = nopal::min_element(v, {}, [](int x) { return x < 4 ? 4 - x : x - 4; });
/// \endcode
///
/// \param range  as with for_each; the same goes for first and last.
/// \param comp, proj  called by several workers at once, as const; a projection may return a task,
/// as with for_each. comp is a strict weak ordering: floating-point numbers among which there are
/// NaNs need one of their own.
/// \returns the iterator; the end if the range is empty.
/// \throws whatever comp or proj throws; if several calls throw, the exception of the first in
/// order among those that ran. If the range is walked, also what for_each says.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: fewer than n comparisons, twice as many projections. Forks, blocks, and for a range
/// that is walked steps and memory, are as with fold.
/// Source: as fold.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::extreme_element_function<algorithm_detail::extreme::least>>
    min_element{};

/// max_element(range, comp = {}, proj = {}) returns an iterator to the first of the greatest
/// elements. Everything else is as with min_element.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::extreme_element_function<algorithm_detail::extreme::greatest>>
    max_element{};

/// minmax_element(range, comp = {}, proj = {}) returns iterators to the first of the least elements
/// and to the last of the greatest, as a std::ranges::minmax_element_result, in fewer than 2n
/// comparisons. Everything else is as with min_element.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::minmax_element_function>
    minmax_element{};

/// min(range, comp = {}, proj = {}) returns a copy of the first of the least elements. The range
/// must not be empty. min(a, b) of two integers does not compile: std::min is for that. Everything
/// else is as with min_element.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::extreme_value_function<algorithm_detail::extreme::least>>
    min{};

/// max(range, comp = {}, proj = {}) returns a copy of the first of the greatest elements. The range
/// must not be empty. Everything else is as with min_element.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::extreme_value_function<algorithm_detail::extreme::greatest>>
    max{};

}  // namespace parallel
}  // namespace nopal
