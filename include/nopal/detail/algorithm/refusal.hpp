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
#include "nopal/detail/algorithm/elements.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

enum class algorithm_kind : unsigned char { for_each, map, fold, scan, exclusive_scan };

enum class refusal : unsigned char {
  none,
  no_range,
  read_once,
  no_end,
  bits,
  out_is_a_range,
  out_is_no_place,
  too_few,
  projection,
  not_const,
  not_callable,
  not_assignable,
  begins_with_no_element,
  does_not_combine,
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

/// Returns the cause in what follows a range, by the decayed types of that.
template <algorithm_kind K, class I, class... A>
constexpr refusal refusal_behind_range() {
  using algorithm_kind::for_each, algorithm_kind::map, algorithm_kind::fold;
  using arguments = std::tuple<A...>;
  if constexpr (K == for_each && !elements_apart<I>) {
    return refusal::bits;
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

template <algorithm_kind K, class First, class... More>
constexpr refusal reason_of_refusal();

template <algorithm_kind K, class First, class Second, class... Rest>
constexpr refusal refusal_of_two() {
  using first = std::decay_t<First>;
  using second = std::decay_t<Second>;
  if constexpr (K == algorithm_kind::for_each && std::integral<first> && std::integral<second> &&
                sizeof...(Rest) == 1)
    return refusal_of_function<std::decay_t<Rest>..., std::common_type_t<first, second>>();
  else if constexpr (read_once<first>)
    return refusal::read_once;
  else if constexpr (std::sentinel_for<second, first>)
    return refusal_behind_range<K, first, std::decay_t<Rest>...>();
  else
    return refusal::no_range;
}

template <algorithm_kind K, class First, class... More>
constexpr refusal reason_of_refusal() {
  if constexpr (algorithm_policy<std::remove_cvref_t<First>> && sizeof...(More) > 0) {
    return reason_of_refusal<K, More...>();
  } else if constexpr (std::ranges::range<First>) {
    using iterator = std::ranges::iterator_t<First>;
    if constexpr (read_once<iterator>)
      return refusal::read_once;
    else if constexpr (!has_an_end<std::ranges::sentinel_t<First>>)
      return refusal::no_end;
    else
      return refusal_behind_range<K, iterator, std::decay_t<More>...>();
  } else if constexpr (sizeof...(More) > 0) {
    return refusal_of_two<K, First, More...>();
  } else {
    return refusal::no_range;
  }
}

template <refusal Why, refusal Reason>
inline constexpr bool is_not = Why != Reason;

/// Says why, in one sentence, for each Call: compilers say once what is wrong with a function.
template <refusal Why, class... Call>
constexpr void say_why() noexcept {
  static_assert(is_not<Why, refusal::no_range>,
                "nopal: an algorithm begins with a range or with two iterators of one, for_each "
                "also with two integers; nopal::grain{n} comes before that");
  static_assert(is_not<Why, refusal::read_once>,
                "nopal: the elements can be read only once; put them into a container first");
  static_assert(is_not<Why, refusal::no_end>,
                "nopal: the range has no end; std::views::take cuts it");
  static_assert(is_not<Why, refusal::bits>,
                "nopal: elements of std::vector<bool> share words, which two workers cannot write "
                "to at the same time; use std::vector<char>");
  static_assert(is_not<Why, refusal::out_is_a_range>,
                "nopal: where to write is given as an iterator: out.begin() and not out");
  static_assert(is_not<Why, refusal::out_is_no_place>,
                "nopal: where to write must be a random-access iterator to elements that exist, "
                "since several workers write at the same time; std::back_inserter is none: make "
                "the container as long as the range, and give its begin()");
  static_assert(is_not<Why, refusal::too_few>,
                "nopal: an argument is missing; after the range come where to write, except for "
                "for_each and fold, the initial value if there is one, and the function");
  static_assert(is_not<Why, refusal::projection>,
                "nopal: the projection, the last argument, cannot be called as const with an "
                "element");
  static_assert(is_not<Why, refusal::not_const>,
                "nopal: several workers call the function at the same time, so it must be callable "
                "as const, which a mutable lambda is not; std::ref hands over one that takes care "
                "of that itself, and nopal::reducer sums up");
  static_assert(is_not<Why, refusal::not_callable>,
                "nopal: the function cannot be called with the elements; an operation of fold or "
                "scan takes the initial value, or an element, and an element");
  static_assert(is_not<Why, refusal::not_assignable>,
                "nopal: the result cannot be assigned to the element where it is to be written");
  static_assert(is_not<Why, refusal::begins_with_no_element>,
                "nopal: a partial result begins with an element, from which what the operation "
                "returns cannot be made; a projection makes that type of each element");
  static_assert(is_not<Why, refusal::does_not_combine>,
                "nopal: workers fold parts of the range, so the operation must also combine two "
                "results of its own; a projection makes that type of each element");
  static_assert(is_not<Why, refusal::others> && is_not<Why, refusal::none>,
                "nopal: the algorithm does not take these arguments; its docstring says which");
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
