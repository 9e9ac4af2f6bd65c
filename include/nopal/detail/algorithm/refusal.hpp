// SPDX-License-Identifier: Apache-2.0
// These find out why an algorithm does not take a call. They read the arguments as a person would.
#pragma once

#include <concepts>
#include <functional>
#include <iterator>
#include <ranges>
#include <tuple>
#include <type_traits>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/call.hpp"
#include "nopal/detail/algorithm/elements.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// What comes behind the range of an algorithm, or behind both of its ranges.
enum class algorithm_kind : unsigned char {
  for_each,
  map,
  fold,
  scan,
  exclusive_scan,
  predicate,       ///< a predicate, and perhaps a projection
  out_predicate,   ///< where to write, and then a predicate
  comparison,      ///< perhaps a comparison and a projection; the elements are moved
  moved,           ///< something else; the elements are moved
  two_comparison,  ///< two ranges; perhaps a comparison and projections
  other,
};

enum class refusal : unsigned char {
  none,
  no_range,
  read_once,
  no_end,
  bits,
  no_random_access,
  constant,
  out_is_a_range,
  out_is_no_place,
  too_few,
  projection,
  not_const,
  not_callable,
  not_assignable,
  begins_with_no_element,
  does_not_combine,
  no_truth,
  second_range,
  middle,
  seed,
  integer_key,
  others,
};

template <class I>
inline constexpr bool read_once = std::input_iterator<I> && !readable_more_than_once<I>;

/// Says whether const F& takes such arguments, or why not.
template <class F, class... A>
constexpr refusal refusal_of_function() {
  if constexpr (shared_callable<F, A...>)
    return refusal::none;
  else if constexpr (std::invocable<F&, A...>)
    return refusal::not_const;
  else
    return refusal::not_callable;
}

template <class O>
constexpr refusal refusal_of_place() {
  if constexpr (std::ranges::range<O>)
    return refusal::out_is_a_range;
  else if constexpr (!std::random_access_iterator<O>)
    return refusal::out_is_no_place;
  else if constexpr (!elements_apart<O>)
    return refusal::bits;
  else
    return refusal::none;
}

/// Returns the cause if what follows two ranges begins with a place to write that is none.
template <class First, class... Rest>
constexpr refusal refusal_of_place_of_two() {
  if constexpr (std::ranges::range<First> || std::input_or_output_iterator<First>)
    return refusal_of_place<First>() != refusal::none ? refusal_of_place<First>() : refusal::others;
  else
    return refusal::others;
}

/// Returns the cause if a function cannot map elements of I, with the projection of Rest.
template <class I, class O, class F, class... Rest>
constexpr refusal refusal_of_map() {
  using proj = std::tuple_element_t<0, std::tuple<Rest..., std::identity>>;
  if constexpr (refusal_of_place<O>() != refusal::none) {
    return refusal_of_place<O>();
  } else if constexpr (!projects<proj, I>) {
    return refusal::projection;
  } else {
    using x = projected_reference<I, proj>;
    if constexpr (refusal_of_function<F, x>() != refusal::none)
      return refusal_of_function<F, x>();
    else if constexpr (!maps<F, O, x>)
      return refusal::not_assignable;
    else
      return refusal::others;
  }
}

/// Returns the cause if an operation cannot fold elements of I into a T.
template <class I, class T, class Op, class... Rest>
constexpr refusal refusal_of_operation() {
  using proj = std::tuple_element_t<0, std::tuple<Rest..., std::identity>>;
  if constexpr (!projects<proj, I>) {
    return refusal::projection;
  } else {
    using x = projected_reference<I, proj>;
    using first =
        std::conditional_t<std::is_void_v<T>, element_value<I, proj>, std::type_identity<T>>::type;
    if constexpr (refusal_of_function<Op, first, x>() != refusal::none) {
      return refusal_of_function<Op, first, x>();
    } else {
      using u = folded_type<first, I, Op, proj>;
      if constexpr (!std::constructible_from<u, x> || !std::convertible_to<first, u>)
        return refusal::begins_with_no_element;
      else if constexpr (!combines<Op, u>)
        return refusal::does_not_combine;
      else
        return refusal::others;
    }
  }
}

/// Returns the cause in an operation and what follows it. They come after an initial value if the
/// first argument is no operation.
template <class I, class First, class... Rest>
constexpr refusal refusal_of_fold() {
  using element = std::iter_reference_t<I>;
  if constexpr (sizeof...(Rest) == 0 || std::invocable<First&, element, element>)
    return refusal_of_operation<I, void, First, Rest...>();
  else
    return refusal_of_operation<I, First, Rest...>();
}

/// Returns the cause if a predicate, a comparison of so many elements of I, or the projection of
/// Rest cannot be called with them.
template <class I, std::size_t Elements, class F, class... Rest>
constexpr refusal refusal_of_predicate() {
  using proj = std::tuple_element_t<0, std::tuple<Rest..., std::identity>>;
  if constexpr (!projects<proj, I>) {
    return refusal::projection;
  } else {
    return []<class... X>(std::type_identity<std::tuple<X...>>) {
      if constexpr (refusal_of_function<F, X...>() != refusal::none)
        return refusal_of_function<F, X...>();
      else if constexpr (!std::convertible_to<detail::result_to_end<const F&, X...>, bool>)
        return refusal::no_truth;
      else
        return refusal::others;
    }(std::type_identity<std::conditional_t<
               Elements == 1, std::tuple<projected_reference<I, proj>>,
               std::tuple<projected_reference<I, proj>, projected_reference<I, proj>>>>());
  }
}

/// Returns the cause if the elements of I cannot be moved by several workers, or if A does not
/// compare them.
template <class I, class... A>
constexpr refusal refusal_of_comparison() {
  if constexpr (!elements_apart<I>)
    return refusal::bits;
  else if constexpr (!std::random_access_iterator<I>)
    return refusal::no_random_access;
  else if constexpr (!std::permutable<I>)
    return refusal::constant;
  else if constexpr (sizeof...(A) == 0)
    return refusal::others;
  else if constexpr (std::input_or_output_iterator<std::tuple_element_t<0, std::tuple<A...>>>)
    return refusal::others;  // the place that nth_element is to fill
  else
    return refusal_of_predicate<I, 2, A...>();
}

/// Returns the cause in what follows a range, by the decayed types of that.
template <algorithm_kind K, class I, class... A>
constexpr refusal refusal_behind_range() {
  using algorithm_kind::for_each, algorithm_kind::map, algorithm_kind::fold;
  using arguments = std::tuple<A...>;
  if constexpr (K == for_each && !elements_apart<I>) {
    return refusal::bits;
  } else if constexpr (K == algorithm_kind::other || K == algorithm_kind::two_comparison) {
    return refusal::others;
  } else if constexpr (K == algorithm_kind::comparison) {
    return refusal_of_comparison<I, A...>();
  } else if constexpr (K == algorithm_kind::moved) {
    return refusal_of_comparison<I>();
  } else if constexpr (K == algorithm_kind::predicate) {
    if constexpr (sizeof...(A) == 0)
      return refusal::too_few;
    else
      return refusal_of_predicate<I, 1, A...>();
  } else if constexpr (sizeof...(A) < (K == for_each || K == fold            ? 1
                                       : K == algorithm_kind::exclusive_scan ? 3
                                                                             : 2)) {
    return refusal::too_few;
  } else if constexpr (K == for_each) {
    return []<class F, class... Rest>(std::type_identity<std::tuple<F, Rest...>>) {
      using proj = std::tuple_element_t<0, std::tuple<Rest..., std::identity>>;
      if constexpr (!projects<proj, I>)
        return refusal::projection;
      else
        return refusal_of_function<F, projected_reference<I, proj>>();
    }(std::type_identity<arguments>());
  } else if constexpr (K == map) {
    return []<class O, class F, class... Rest>(std::type_identity<std::tuple<O, F, Rest...>>) {
      if constexpr (sizeof...(Rest) > 0 && std::input_or_output_iterator<F>)
        return refusal_of_place<F>() != refusal::none ? refusal_of_place<F>()
                                                      : refusal::not_callable;
      else
        return refusal_of_map<I, O, F, Rest...>();
    }(std::type_identity<arguments>());
  } else if constexpr (K == algorithm_kind::out_predicate) {
    return []<class O, class... Rest>(std::type_identity<std::tuple<O, Rest...>>) {
      if constexpr (refusal_of_place<O>() != refusal::none)
        return refusal_of_place<O>();
      else
        return refusal_of_predicate<I, 1, Rest...>();
    }(std::type_identity<arguments>());
  } else if constexpr (K == fold) {
    return refusal_of_fold<I, A...>();
  } else {
    return []<class O, class... Rest>(std::type_identity<std::tuple<O, Rest...>>) {
      if constexpr (refusal_of_place<O>() != refusal::none)
        return refusal_of_place<O>();
      else if constexpr (refusal_of_fold<I, Rest...>() == refusal::others)
        return refusal::not_assignable;
      else
        return refusal_of_fold<I, Rest...>();
    }(std::type_identity<arguments>());
  }
}

template <algorithm_kind K, class First, class Second, class... Rest>
constexpr refusal refusal_of_two() {
  using first = std::decay_t<First>;
  using second = std::decay_t<Second>;
  if constexpr (std::integral<first> && std::integral<second>)
    return refusal_behind_range<
        K,
        std::ranges::iterator_t<std::ranges::iota_view<std::common_type_t<first, second>,
                                                       std::common_type_t<first, second>>>,
        std::decay_t<Rest>...>();
  else if constexpr (read_once<first>)
    return refusal::read_once;
  else if constexpr (std::sentinel_for<second, first>)
    return refusal_behind_range<K, first, std::decay_t<Rest>...>();
  else
    return refusal::no_range;
}

template <algorithm_kind K, class First, class... More>
constexpr refusal refusal_of_range() {
  using iterator = std::ranges::iterator_t<First>;
  if constexpr (read_once<iterator>)
    return refusal::read_once;
  else if constexpr (!has_an_end<std::ranges::sentinel_t<First>>)
    return refusal::no_end;
  else if constexpr (K == algorithm_kind::two_comparison)
    return []<class Second, class... Rest>(std::type_identity<std::tuple<Second, Rest...>>) {
      if constexpr (!std::ranges::range<Second>)
        return refusal::second_range;
      else if constexpr (sizeof...(Rest) == 0)
        return refusal::others;
      else
        return refusal_of_place_of_two<std::decay_t<Rest>...>();
    }(std::type_identity<std::tuple<More..., void*>>());
  else
    return refusal_behind_range<K, iterator, std::decay_t<More>...>();
}

/// Whether an algorithm that divides a range is not told where, by an iterator behind the range.
template <class Algorithm, class... More>
constexpr bool lacks_middle() {
  if constexpr (!traits_of<Algorithm>::has_middle)
    return false;
  else if constexpr (sizeof...(More) == 0)
    return true;
  else
    return !std::input_or_output_iterator<
        std::decay_t<std::tuple_element_t<0, std::tuple<More...>>>>;
}

/// Whether an algorithm names the fault of a call in which nothing else is found.
template <class Algorithm>
concept says_what_is_left = requires { Algorithm::what_is_left; };

template <class Algorithm, class First, class... More>
constexpr refusal reason_of_refusal() {
  constexpr algorithm_kind kind = Algorithm::kind;
  constexpr auto known = [](refusal why) {
    if constexpr (says_what_is_left<Algorithm>)
      return why == refusal::others ? Algorithm::what_is_left : why;
    else
      return why;
  };
  if constexpr (sizeof...(More) > 0 && is_policy<First>)
    return reason_of_refusal<Algorithm, More...>();
  else if constexpr (std::ranges::range<First> && lacks_middle<Algorithm, More...>())
    return refusal::middle;
  else if constexpr (std::ranges::range<First>)
    return known(refusal_of_range<kind, First, More...>());
  else if constexpr (sizeof...(More) > 0)
    return known(refusal_of_two<kind, First, More...>());
  else
    return refusal::no_range;
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
