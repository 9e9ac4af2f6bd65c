// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/search/first_match.hpp"
#include "nopal/detail/algorithm/search/first_true.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Returns the first element of which a predicate says what is wanted, or last.
template <bool Wanted, class I, class S, class Pred, class Proj>
I first_that(grain g, I first, S last, const Pred& pred, const Proj& proj) {
  decltype(auto) to_its_end = each_to_end<I, Proj>(pred);
  decltype(auto) projection = projection_to_end<I>(proj);
  return first_where(
      g.elements, std::move(first), std::move(last),
      predicate_test<Wanted, std::remove_cvref_t<decltype(to_its_end)>,
                     std::remove_cvref_t<decltype(projection)>>{to_its_end, projection});
}

/// A value to which projected elements of an iterator can be compared.
template <class T, class I, class Proj>
concept equals_element =
    projects<Proj, I> && requires(const T& value, projected_reference<I, Proj>&& x) {
      { std::forward<projected_reference<I, Proj>>(x) == value } -> std::convertible_to<bool>;
    };

struct find_function {
  static constexpr auto kind = algorithm_kind::other;
  static constexpr std::size_t function_at = 2;  // {} is a projection

  template <class I, multipass_by<I> S, class T, projects<I> Proj = std::identity>
    requires equals_element<T, I, Proj>
  I operator()(grain g, I first, S last, const T& value, Proj proj = {}) const {
    decltype(auto) projection = projection_to_end<I>(proj);
    return first_where(g.elements, std::move(first), std::move(last),
                       test_for_value<I>(value, projection));
  }
};

struct find_if_function {
  static constexpr auto kind = algorithm_kind::predicate;

  template <class I, multipass_by<I> S, class Pred, projects<I> Proj = std::identity>
    requires tells_of<Pred, I, Proj>
  I operator()(grain g, I first, S last, Pred pred, Proj proj = {}) const {
    return first_that<true>(g, std::move(first), std::move(last), pred, proj);
  }
};

struct find_if_not_function {
  static constexpr auto kind = algorithm_kind::predicate;

  template <class I, multipass_by<I> S, class Pred, projects<I> Proj = std::identity>
    requires tells_of<Pred, I, Proj>
  I operator()(grain g, I first, S last, Pred pred, Proj proj = {}) const {
    return first_that<false>(g, std::move(first), std::move(last), pred, proj);
  }
};

}  // namespace algorithm_detail

/// Returns the first element for which pred(proj(element)) is true: find_if(range, pred, proj = {})
/// or find_if(first, last, pred, proj = {}), each also with nopal::grain{n} as the first argument.
/// With two integers it returns the first i from first up to, but not including, last.
///
/// The result is that of std::ranges::find_if, by any number of workers. Elements behind it may be
/// tested too, but not many: the range is searched in windows, of which each is twice as long as
/// the one before, and blocks behind an element that has been found are skipped. On one worker the
/// elements come in order, and none behind the result is tested. Numbers that are compared with a
/// number by find() are compared by the vector.
///
/// A range without random access, or whose size is not known, is walked window by window.
/// \code
/// std::vector<int> v(1000, 2);
/// v[700] = 3;
/// auto odd = nopal::find_if(v, [](int x) { return x % 2 != 0; });
/// auto three = nopal::find(v, 3);
/// auto big = nopal::find_if(2, 1000, [](int i) { return i * i > 5000; });
/// \endcode
///
/// \param range  as with for_each; the same goes for first and last.
/// \param pred, proj  called by several workers at once, as const. Tasks are as with for_each.
/// \returns an iterator to the element, or the end of the range; if the range is a temporary whose
/// iterators would dangle, std::ranges::dangling; with two integers the integer.
/// \throws what a loop would that calls pred for one element after the other: the exception of the
/// first element for which pred or proj throws, if none in front of it is found. What elements
/// behind the result throw is dropped. If the range is walked, also std::bad_alloc and whatever the
/// iterators throw.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime,
/// unless it compares a few thousand numbers.
/// Complexity: if the result is element k, at most about 2k + O(1) blocks for each worker are
/// tested; span O(log² n) blocks; no allocation. Steps are as with for_each. For a range that is
/// walked, at most about 2k steps in a row, and memory for an iterator to each block of a window.
/// Source: windows that double (Bentley and Yao, Information Processing Letters 5(3), 1976), each
/// by lazy binary splitting as with for_each.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::find_if_function>
    find_if{};

/// find_if_not(range, pred, proj = {}) returns the first element for which pred is false.
/// Everything else is as with find_if.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::find_if_not_function>
    find_if_not{};

/// find(range, value, proj = {}) returns the first element with proj(element) == value. Everything
/// else is as with find_if.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::find_function>
    find{};

}  // namespace parallel
}  // namespace nopal
