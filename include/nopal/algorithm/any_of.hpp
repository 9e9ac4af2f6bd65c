// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <iterator>

#include "nopal/algorithm/find.hpp"
#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/checked_call.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/search/first_true.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// Whether there is an element of which the predicate says `Sought`, or whether there is none.
template <bool Sought, bool IfThereIsOne>
struct quantifier_function {
  static constexpr auto kind = algorithm_kind::predicate;

  template <class I, multipass_by<I> S, class Pred, projects<I> Proj = std::identity>
    requires tells_of<Pred, I, Proj>
  bool operator()(grain g, I first, S last, Pred pred, Proj proj = {}) const {
    return (first_that<Sought>(g, first, last, pred, proj) == last) != IfThereIsOne;
  }
};

struct contains_function {
  static constexpr auto kind = algorithm_kind::other;
  static constexpr std::size_t function_at = 2;  // {} is a projection

  template <class I, multipass_by<I> S, class T, projects<I> Proj = std::identity>
    requires equals_element<T, I, Proj>
  bool operator()(grain g, I first, S last, const T& value, Proj proj = {}) const {
    return !(find_function{}(g, first, last, value, std::move(proj)) == last);
  }
};

struct is_partitioned_function {
  static constexpr auto kind = algorithm_kind::predicate;

  template <class I, multipass_by<I> S, class Pred, projects<I> Proj = std::identity>
    requires tells_of<Pred, I, Proj>
  bool operator()(grain g, I first, S last, Pred pred, Proj proj = {}) const {
    I middle = first_that<false>(g, std::move(first), last, pred, proj);
    if (middle == last) return true;
    return first_that<true>(g, std::ranges::next(middle), last, pred, proj) == last;
  }
};

}  // namespace algorithm_detail

/// Says whether pred(proj(element)) is true for at least one element: any_of(range, pred, proj =
/// {}) or any_of(first, last, pred, proj = {}), each also with nopal::grain{n} as the first
/// argument, and with two integers.
///
/// It is a find_if() and a comparison: the first element that decides ends it, so that the outcome
/// does not depend on the number of workers even if pred throws for some elements.
/// \code
/// std::vector<int> v(1000, 2);
/// bool odd = nopal::any_of(v, [](int x) { return x % 2 != 0; });
/// bool small = nopal::all_of(v, [](int x) { return x < 10; });
/// bool two = nopal::contains(v, 2);
/// \endcode
///
/// \param range  as with find_if; the same goes for first and last.
/// \param pred, proj  called by several workers at once, as const. Tasks are as with for_each.
/// \throws as find_if.
/// Thread-safety: as with find_if.
/// Complexity: as with find_if, for the first element that decides.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::quantifier_function<true, true>>
    any_of{};

/// all_of(range, pred, proj = {}) says whether pred is true for all elements. Everything else is as
/// with any_of.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::quantifier_function<false, false>>
    all_of{};

/// none_of(range, pred, proj = {}) says whether pred is true for no element. Everything else is as
/// with any_of.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::quantifier_function<true, false>>
    none_of{};

/// contains(range, value, proj = {}) says whether proj(element) == value for at least one element.
/// Everything else is as with any_of.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<algorithm_detail::contains_function>
    contains{};

/// is_partitioned(range, pred, proj = {}) says whether no element for which pred is true comes
/// behind one for which it is false. Everything else is as with any_of. The range is searched once
/// up to the first element for which pred is false, and then behind that.
NOPAL_HIDDEN inline constexpr algorithm_detail::checked_call<
    algorithm_detail::is_partitioned_function>
    is_partitioned{};

}  // namespace parallel
}  // namespace nopal
