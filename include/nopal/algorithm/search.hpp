// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/search/first_match.hpp"
#include "nopal/detail/algorithm/search/first_true.hpp"
#include "nopal/detail/algorithm/search/patterns.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// What all algorithms that compare the elements of a range with those of a pattern are.
struct pattern_algorithm {
  static constexpr auto kind = algorithm_kind::two_comparison;
  static constexpr std::size_t ranges = 2;
  using function = std::ranges::equal_to;

 protected:
  template <class End, class I2, class S2, class Pred, class Proj1, class Proj2>
  static auto pattern(End end, I2 first2, S2 last2, const Pred& pred, const Proj1& proj1,
                      const Proj2& proj2) {
    return pattern_test<End, I2, S2, Pred, Proj1, Proj2>{end, first2, last2, pred, proj1, proj2};
  }
};

struct search_function : pattern_algorithm {
  template <class I1, multipass_by<I1> S1, class I2, multipass_by<I2> S2,
            class Pred = std::ranges::equal_to, projects<I1> Proj1 = std::identity,
            projects<I2> Proj2 = std::identity>
    requires tells_of_both<Pred, I1, Proj1, I2, Proj2>
  std::ranges::subrange<I1> operator()(grain g, I1 first1, S1 last1, I2 first2, S2 last2,
                                       Pred pred = {}, Proj1 proj1 = {}, Proj2 proj2 = {}) const {
    if (first2 == last2) return {first1, first1};
    decltype(auto) equal =
        to_end<projected_reference<I1, Proj1>, projected_reference<I2, Proj2>>(pred);
    decltype(auto) projection1 = projection_to_end<I1>(proj1);
    decltype(auto) projection2 = projection_to_end<I2>(proj2);
    const auto m = static_cast<std::ptrdiff_t>(std::ranges::distance(first2, last2));
    const auto test =
        pattern(end_of_search<I1>(last1), first2, last2, equal, projection1, projection2);
    if constexpr (splittable_by<S1, I1>) {
      const auto n = static_cast<std::ptrdiff_t>(last1 - first1);
      if (n < m) return {advanced(first1, n), advanced(first1, n)};
      const I1 end = advanced(first1, n - m + 1);
      const I1 at = first_where(g.elements, first1, end, test);
      return at == end ? std::ranges::subrange(advanced(first1, n), advanced(first1, n))
                       : std::ranges::subrange(at, advanced(at, m));
    } else {
      const I1 at = first_where(g.elements, std::move(first1), last1, test);
      return at == last1 ? std::ranges::subrange(at, at)
                         : std::ranges::subrange(at, advanced(at, m));
    }
  }
};

struct find_end_function : pattern_algorithm {
  template <class I1, multipass_by<I1> S1, class I2, multipass_by<I2> S2,
            class Pred = std::ranges::equal_to, projects<I1> Proj1 = std::identity,
            projects<I2> Proj2 = std::identity>
    requires tells_of_both<Pred, I1, Proj1, I2, Proj2>
  std::ranges::subrange<I1> operator()(grain g, I1 first1, S1 last1, I2 first2, S2 last2,
                                       Pred pred = {}, Proj1 proj1 = {}, Proj2 proj2 = {}) const {
    const I1 end = std::ranges::next(first1, last1);
    if (first2 == last2 || first1 == end) return {end, end};
    decltype(auto) equal =
        to_end<projected_reference<I1, Proj1>, projected_reference<I2, Proj2>>(pred);
    decltype(auto) projection1 = projection_to_end<I1>(proj1);
    decltype(auto) projection2 = projection_to_end<I2>(proj2);
    const auto m = static_cast<std::ptrdiff_t>(std::ranges::distance(first2, last2));
    const auto test =
        pattern(end_of_search<I1>(last1), first2, last2, equal, projection1, projection2);
    const auto all = cut(g, first1, last1);
    I1 at = end;
    if constexpr (splittable_by<S1, I1>)
      at = last_where(all, all.size - m + 1, first1, end,
                      pattern_test_from_end{test, advanced(first2, m - 1), m - 1});
    else
      at = last_where(all, all.size, first1, end, test);
    return {at, at == end ? end : advanced(at, m)};
  }
};

struct find_first_of_function : pattern_algorithm {
  template <class I1, multipass_by<I1> S1, class I2, multipass_by<I2> S2,
            class Pred = std::ranges::equal_to, projects<I1> Proj1 = std::identity,
            projects<I2> Proj2 = std::identity>
    requires tells_of_both<Pred, I1, Proj1, I2, Proj2>
  I1 operator()(grain g, I1 first1, S1 last1, I2 first2, S2 last2, Pred pred = {}, Proj1 proj1 = {},
                Proj2 proj2 = {}) const {
    decltype(auto) equal =
        to_end<projected_reference<I1, Proj1>, projected_reference<I2, Proj2>>(pred);
    decltype(auto) projection1 = projection_to_end<I1>(proj1);
    decltype(auto) projection2 = projection_to_end<I2>(proj2);
    using test = one_of_test<I2, S2, std::remove_cvref_t<decltype(equal)>,
                             std::remove_cvref_t<decltype(projection1)>,
                             std::remove_cvref_t<decltype(projection2)>>;
    return first_where(g.elements, std::move(first1), std::move(last1),
                       test{first2, last2, equal, projection1, projection2});
  }
};

struct search_n_function {
  static constexpr auto kind = algorithm_kind::other;
  static constexpr std::size_t function_at = 2;
  using function = std::ranges::equal_to;

  template <class I, multipass_by<I> S, class T, class Pred = std::ranges::equal_to,
            projects<I> Proj = std::identity>
    requires tells<Pred, projected_reference<I, Proj>, const T&>
  std::ranges::subrange<I> operator()(grain g, I first, S last, std::iter_difference_t<I> count,
                                      const T& value, Pred pred = {}, Proj proj = {}) const {
    if (count <= 0) return {first, first};
    decltype(auto) equal = to_end<projected_reference<I, Proj>, const T&>(pred);
    decltype(auto) projection = projection_to_end<I>(proj);
    const auto m = static_cast<std::ptrdiff_t>(count);
    if constexpr (splittable_by<S, I>) {
      const auto n = static_cast<std::ptrdiff_t>(last - first);
      const auto equals = [at = unwrapped(first), &equal, &projection, &value](std::ptrdiff_t i) {
        return static_cast<bool>(
            std::invoke(equal, std::invoke(projection, *advanced(at, i)), value));
      };
      const std::ptrdiff_t places = n - m + 1;
      const std::ptrdiff_t found =
          first_match(places, block_for(g.elements, m), element_cost::unknown,
                      [&](part p) { return first_repetition(p, m, equals); });
      return found >= places
                 ? std::ranges::subrange(advanced(first, n), advanced(first, n))
                 : std::ranges::subrange(advanced(first, found), advanced(first, found + m));
    } else {
      using test = repetition_test<S, std::ptrdiff_t, T, std::remove_cvref_t<decltype(equal)>,
                                   std::remove_cvref_t<decltype(projection)>>;
      const I at =
          first_where(g.elements, std::move(first), last, test{last, m, value, equal, projection});
      return at == last ? std::ranges::subrange(at, at)
                        : std::ranges::subrange(at, advanced(at, m));
    }
  }

 private:
  /// Returns the grain. A block reads so many elements behind its end, so that blocks for long runs
  /// are long.
  static constexpr std::size_t block_for(std::size_t by_hand, std::ptrdiff_t count) {
    if (count < 256) return by_hand;
    return std::max(by_hand, 8 * static_cast<std::size_t>(count));
  }
};

}  // namespace algorithm_detail

/// Returns the first place where a pattern lies in a range: search(range, pattern, pred = {}, proj1
/// = {}, proj2 = {}) or search(first1, last1, first2, last2, pred = {}, proj1 = {}, proj2 = {}),
/// each also with nopal::grain{n} as the first argument. An element of the range and one of the
/// pattern match if pred(proj1(element), proj2(pattern_element)) is true. pred is
/// std::ranges::equal_to if it is not given.
///
/// The search ends early, as that of find_if does.
/// \code
/// std::string text(1000, ' '), word = "word";
/// text.replace(700, word.size(), word);
/// auto found = nopal::search(text, word);
/// auto last = nopal::find_end(text, word);
/// auto letter = nopal::find_first_of(text, word);
/// auto spaces = nopal::search_n(text, 10, ' ');
/// \endcode
///
/// \param range  as with find_if; the same goes for first1 and last1.
/// \param pattern  as the range; it should be short, since every worker reads it.
/// \param pred, proj1, proj2  called by several workers at once, as const. Tasks are as with
/// for_each.
/// \returns a std::ranges::subrange of the range that is as long as the pattern; an empty one at
/// the end if there is none, and at the beginning if the pattern is empty.
/// \throws as find_if.
/// Thread-safety: as with find_if.
/// Complexity: as with find_if, for the beginning of the place; each element takes up to as many
/// comparisons as the pattern has elements.
/// Source: as find_if.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::search_function>
    search{};

/// find_end(range, pattern, pred = {}, proj1 = {}, proj2 = {}) returns the last place where a
/// pattern lies in a range; if there is none or the pattern is empty, an empty one at the end. The
/// range is searched from its end, so that a place near the end is found early; a range that must
/// be walked is walked to its end first. Everything else is as with search.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::find_end_function>
    find_end{};

/// find_first_of(range, pattern, pred = {}, proj1 = {}, proj2 = {}) returns the first element that
/// matches any element of the pattern, or the end. Everything else is as with search.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::find_first_of_function>
    find_first_of{};

/// search_n(range, count, value, pred = {}, proj = {}) returns the first place where `count`
/// elements, one behind the other, match a value: pred(proj(element), value) is true of each.
/// Everything else is as with search, except for the number of comparisons: one for each element at
/// most, and `count` more for each block; if the range is walked, up to `count` for each element.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::search_n_function>
    search_n{};

}  // namespace parallel
}  // namespace nopal
