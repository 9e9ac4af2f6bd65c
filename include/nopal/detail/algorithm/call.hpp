// SPDX-License-Identifier: Apache-2.0
// Users call an algorithm with a range, with two iterators, or with two integers. These make one
// call of all, which is the only one that an algorithm has: nopal::grain or nopal::deterministic,
// an iterator and a sentinel for each range, and the rest.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/algorithm/loop_options.hpp"
#include "nopal/detail/algorithm/cut.hpp"
#include "nopal/detail/algorithm/elements.hpp"
#include "nopal/detail/algorithm/prefetch.hpp"
#include "nopal/detail/platform/decimal.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// A range that an algorithm takes as a whole, such as what nopal::grid() returns.
template <class R>
concept whole_range = requires {
  typename std::remove_cvref_t<R>::index;
  std::remove_cvref_t<R>::dimensions;
};
/// What the algorithms do with such a range.
template <class R>
struct whole_loops;

/// What `{}` is deduced as in a call; meant() says for what it stands.
struct braces {};

template <class A>
inline constexpr bool is_braces = std::same_as<std::remove_cvref_t<A>, braces>;
template <class... A>
concept has_no_options = !(std::same_as<std::remove_cvref_t<A>, loop_options> || ...);
template <class... A>
concept has_braces = (is_braces<A> || ...);
/// Whether A is the type of a first argument that says how the range is cut.
template <class A>
inline constexpr bool is_policy = std::same_as<std::remove_cvref_t<A>, grain> ||
                                  std::same_as<std::remove_cvref_t<A>, deterministic_order>;

/// What an algorithm says of itself, unless it says otherwise: it takes one range, and its function
/// comes right behind that. An algorithm with more functions of its own has a std::tuple of them,
/// `functions`, by their places behind the ranges.
template <class Algorithm>
struct traits_of {
  static constexpr std::size_t ranges = []() -> std::size_t {
    if constexpr (requires { Algorithm::ranges; }) return Algorithm::ranges;
    return 1;
  }();
  static constexpr std::size_t function_at = []() -> std::size_t {
    if constexpr (requires { Algorithm::function_at; }) return Algorithm::function_at;
    return 0;
  }();
  /// Whether an iterator into the range comes between its first and its last, as with nth_element.
  static constexpr bool has_middle = requires { Algorithm::has_middle; };
};

/// Returns what the argument `At` behind the ranges stands for. If it is `{}`, that is the
/// algorithm's own function, such as std::ranges::less of a sort, or no projection.
template <class Algorithm, std::size_t At, class A>
constexpr decltype(auto) meant(A&& a) {
  if constexpr (!is_braces<A>)
    return std::forward<A>(a);
  else if constexpr (requires { typename std::tuple_element_t<At, typename Algorithm::functions>; })
    return std::tuple_element_t<At, typename Algorithm::functions>();
  else if constexpr (At != traits_of<Algorithm>::function_at)
    return std::identity();
  else if constexpr (requires { typename Algorithm::function; })
    return typename Algorithm::function();
  else
    return braces();
}

template <class Algorithm, std::size_t At, class A>
using meant_type = std::decay_t<decltype(meant<Algorithm, At>(std::declval<A>()))>;

template <class... T>
struct types {};

/// Whether an algorithm takes iterators of the types in Ends, and then A.
template <class Algorithm, class P, class Ends, class Places, class... A>
inline constexpr bool takes_at = false;
template <class Algorithm, class P, class... Ends, std::size_t... At, class... A>
inline constexpr bool takes_at<Algorithm, P, types<Ends...>, std::index_sequence<At...>, A...> =
    std::invocable<const Algorithm&, P, Ends..., meant_type<Algorithm, At, A>...>;
template <class Algorithm, class P, class Ends, class... A>
inline constexpr bool takes = takes_at<Algorithm, P, Ends, std::index_sequence_for<A...>, A...>;

template <class R>
using end_type = decltype(end_of(std::declval<std::remove_reference_t<R>&>()));

/// The iterator and the sentinel that an algorithm is given for R.
template <class R>
struct ends_of {
  using type = types<std::ranges::iterator_t<R>, end_type<R>>;
};

template <class A, class B>
struct joined;
template <class... A, class... B>
struct joined<types<A...>, types<B...>> {
  using type = types<A..., B...>;
};

template <std::integral First, std::integral Last>
using index_type = std::common_type_t<First, Last>;
template <class Index>
using indices = std::ranges::iota_view<Index, Index>;

enum class call_form : unsigned char { none, iterators, range, two_ranges, integers, whole };

/// Whether the last of three iterators is the end of the range.
template <class Algorithm, class P, class First, class Middle, class... A>
inline constexpr bool takes_middle = false;
template <class Algorithm, class P, class I, class S, class... A>
inline constexpr bool takes_middle<Algorithm, P, I, I, S, A...> =
    takes<Algorithm, P, types<I, std::decay_t<S>>, I, A...>;

/// Whether two iterators begin the call.
template <class Algorithm, class P, class First, class Second, class... A>
constexpr bool takes_iterators() {
  using first = std::decay_t<First>;
  using second = std::decay_t<Second>;
  if constexpr (!std::input_or_output_iterator<first>)
    return false;
  else if constexpr (traits_of<Algorithm>::has_middle)
    return takes_middle<Algorithm, P, first, second, A...>;
  else if constexpr (traits_of<Algorithm>::ranges == 1)
    return takes<Algorithm, P, types<first, second>, A...>;
  else if constexpr (sizeof...(A) < 2)
    return false;
  else
    return []<class First2, class Second2, class... B>(types<First2, Second2, B...>) {
      return takes<Algorithm, P, types<first, second, std::decay_t<First2>, std::decay_t<Second2>>,
                   B...>;
    }(types<A...>());
}

template <class Algorithm, class P, class R1, class R2, class... A>
constexpr bool takes_two_ranges() {
  if constexpr (std::ranges::range<R2>)
    return takes<Algorithm, P,
                 typename joined<typename ends_of<R1>::type, typename ends_of<R2>::type>::type,
                 A...>;
  else
    return false;
}

template <class Algorithm, class P, class First, class Last, class... A>
constexpr bool takes_integers() {
  if constexpr (std::integral<std::decay_t<First>> && std::integral<std::decay_t<Last>>)
    return takes<
        Algorithm, P,
        typename ends_of<indices<index_type<std::decay_t<First>, std::decay_t<Last>>>>::type, A...>;
  else
    return false;
}

/// Says how a call is written that does not begin with two iterators.
template <class Algorithm, class P, class First, class... More>
constexpr call_form form_without_iterators() {
  if constexpr (whole_range<First>) {
    if constexpr (takes<Algorithm, P, types<std::remove_cvref_t<First>>, More...>)
      return call_form::whole;
  } else if constexpr (std::ranges::range<First>) {
    if constexpr (traits_of<Algorithm>::ranges == 1 &&
                  takes<Algorithm, P, typename ends_of<First>::type, More...>)
      return call_form::range;
    else if constexpr (sizeof...(More) > 0)
      return takes_two_ranges<Algorithm, P, First, More...>() ? call_form::two_ranges
                                                              : call_form::none;
  } else if constexpr (sizeof...(More) > 0) {
    if constexpr (takes_integers<Algorithm, P, First, More...>()) return call_form::integers;
  }
  return call_form::none;
}

/// Says how a call is written. An array may stand for its first element; a call that is right with
/// that is not tried with the array as a range. Its functions would be tried with iterators in the
/// place of elements, and compilers end with an error if the body of one does not take these.
template <class Algorithm, class P, class First, class... More>
constexpr call_form form_of() {
  if constexpr (sizeof...(More) > 0) {
    if constexpr (takes_iterators<Algorithm, P, First, More...>())
      return call_form::iterators;
    else
      return form_without_iterators<Algorithm, P, First, More...>();
  } else {
    return form_without_iterators<Algorithm, P, First>();
  }
}

template <class Algorithm, class First, class... More>
constexpr bool accepts_behind_policy() {
  if constexpr (sizeof...(More) > 0 && is_policy<First>)
    return form_of<Algorithm, std::remove_cvref_t<First>, More...>() != call_form::none;
  else
    return form_of<Algorithm, grain, First, More...>() != call_form::none;
}
/// Whether an algorithm takes a call.
template <class Algorithm, class... A>
concept accepts = accepts_behind_policy<Algorithm, A...>();

/// Whether a result is an iterator into a range that is gone after the call. If an argument has the
/// type of the result, it says where to write, and the result is the end of what is written.
template <class R, class Result, class... A>
inline constexpr bool dangles =
    !std::ranges::borrowed_range<R> &&
    ((std::same_as<Result, std::ranges::iterator_t<R>> &&
      !(std::same_as<Result, std::decay_t<A>> || ...)) ||
     std::same_as<Result, std::ranges::subrange<std::ranges::iterator_t<R>>>);

/// Calls an algorithm with iterators, and then with what the arguments behind them mean. All of
/// this is inlined: it makes arguments of arguments.
template <class Algorithm, class P>
struct entry {
  P policy;

  template <class I, class S, class... A>
  NOPAL_ALWAYS_INLINE decltype(auto) one(I first, S last, A&&... a) const {
    return [&]<std::size_t... At>(std::index_sequence<At...>) NOPAL_INLINE_STEP -> decltype(auto) {
      return Algorithm{}(policy, std::move(first), std::move(last),
                         meant<Algorithm, At>(std::forward<A>(a))...);
    }(std::index_sequence_for<A...>());
  }
  template <class I1, class S1, class I2, class S2, class... A>
  NOPAL_ALWAYS_INLINE decltype(auto) two(I1 first1, S1 last1, I2 first2, S2 last2, A&&... a) const {
    return [&]<std::size_t... At>(std::index_sequence<At...>) NOPAL_INLINE_STEP -> decltype(auto) {
      return Algorithm{}(policy, std::move(first1), std::move(last1), std::move(first2),
                         std::move(last2), meant<Algorithm, At>(std::forward<A>(a))...);
    }(std::index_sequence_for<A...>());
  }

  template <class I, class S, class... A>
  NOPAL_ALWAYS_INLINE decltype(auto) iterators(I first, S last, A&&... a) const {
    if constexpr (traits_of<Algorithm>::ranges == 2)
      return two(std::move(first), std::move(last), std::forward<A>(a)...);
    else if constexpr (traits_of<Algorithm>::has_middle)
      return with_middle(std::move(first), std::move(last), std::forward<A>(a)...);
    else
      return one(std::move(first), std::move(last), std::forward<A>(a)...);
  }
  template <class I, class S, class... A>
  NOPAL_ALWAYS_INLINE decltype(auto) with_middle(I first, I middle, S last, A&&... a) const {
    return one(std::move(first), std::move(last), std::move(middle), std::forward<A>(a)...);
  }
  template <class R, class... A>
  NOPAL_ALWAYS_INLINE decltype(auto) range(R&& r, A&&... a) const {
    using result = decltype(one(std::ranges::begin(r), end_of(r), std::forward<A>(a)...));
    if constexpr (dangles<R, result, A...>) {
      one(std::ranges::begin(r), end_of(r), std::forward<A>(a)...);
      return std::ranges::dangling();
    } else {
      return one(std::ranges::begin(r), end_of(r), std::forward<A>(a)...);
    }
  }
  template <class R, class... A>
  NOPAL_ALWAYS_INLINE decltype(auto) whole(const R& r, A&&... a) const {
    return Algorithm{}(policy, r, std::forward<A>(a)...);
  }
  template <class R1, class R2, class... A>
  NOPAL_ALWAYS_INLINE decltype(auto) two_ranges(R1&& r1, R2&& r2, A&&... a) const {
    using result = decltype(two(std::ranges::begin(r1), end_of(r1), std::ranges::begin(r2),
                                end_of(r2), std::forward<A>(a)...));
    if constexpr (dangles<R1, result, A...>) {
      two(std::ranges::begin(r1), end_of(r1), std::ranges::begin(r2), end_of(r2),
          std::forward<A>(a)...);
      return std::ranges::dangling();
    } else {
      return two(std::ranges::begin(r1), end_of(r1), std::ranges::begin(r2), end_of(r2),
                 std::forward<A>(a)...);
    }
  }
  /// An index is returned as what it is, and not as an iterator.
  template <class First, class Last, class... A>
  NOPAL_ALWAYS_INLINE decltype(auto) integers(First first, Last last, A&&... a) const {
    using index = index_type<First, Last>;
    const indices<index> all = indices_of<index>(first, last);
    using result = decltype(one(all.begin(), end_of(all), std::forward<A>(a)...));
    if constexpr (std::same_as<result, std::ranges::iterator_t<const indices<index>>>)
      return static_cast<index>(*one(all.begin(), end_of(all), std::forward<A>(a)...));
    else
      return one(all.begin(), end_of(all), std::forward<A>(a)...);
  }

 private:
  /// \throws std::invalid_argument if the first index is none of the type of both.
  template <class Index, class First, class Last>
  static indices<Index> indices_of(First first, Last last) {
    // An empty range begins and ends at `first`, which is what a search returns then.
    if (std::cmp_less_equal(last, first))
      return {static_cast<Index>(first), static_cast<Index>(first)};
    if (!std::in_range<Index>(first))
      throw std::invalid_argument("nopal: the first index is " + detail::decimal(first) +
                                  " and the last is unsigned; make both of one sign");
    return {static_cast<Index>(first), static_cast<Index>(last)};
  }
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
