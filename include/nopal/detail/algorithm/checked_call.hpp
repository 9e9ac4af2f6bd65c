// SPDX-License-Identifier: Apache-2.0
// What a compiler says of a call that no algorithm takes: why, instead of a page of concepts.
#pragma once

#include <iterator>
#include <ranges>
#include <type_traits>

#include "nopal/algorithm/grain.hpp"
#include "nopal/detail/algorithm/elements.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

/// The iterator of a range, or an iterator itself.
template <class R>
struct iterator_of {
  using type = std::decay_t<R>;
};
template <std::ranges::range R>
struct iterator_of<R> {
  using type = std::ranges::iterator_t<R>;
};

template <class R>
inline constexpr bool is_endless = false;
template <std::ranges::range R>
inline constexpr bool is_endless<R> = !has_an_end<std::ranges::sentinel_t<R>>;

template <class R>
inline constexpr bool read_once = std::input_iterator<typename iterator_of<R>::type> &&
                                  !readable_more_than_once<typename iterator_of<R>::type>;

// Why a call is refused. Compilers name the type in their message.
struct elements_can_be_read_only_once__put_them_into_a_container_first;
struct range_has_no_end__cut_it_by_views_take;
struct not_a_range_or_its_iterators__then_where_to_write__then_a_function_callable_as_const;

template <class First, class... More>
constexpr auto* reason_of_refusal() {
  if constexpr (algorithm_policy<std::remove_cvref_t<First>> && sizeof...(More) > 0)
    return reason_of_refusal<More...>();
  else if constexpr (read_once<First>)
    return static_cast<elements_can_be_read_only_once__put_them_into_a_container_first*>(nullptr);
  else if constexpr (is_endless<First>)
    return static_cast<range_has_no_end__cut_it_by_views_take*>(nullptr);
  else
    return static_cast<
        not_a_range_or_its_iterators__then_where_to_write__then_a_function_callable_as_const*>(
        nullptr);
}

/// An algorithm for users. Every call that it does not take is one of a function that is deleted:
/// whoever asks if it can be called learns that it cannot.
template <class Algorithm>
struct checked_call : Algorithm {
  using Algorithm::operator();

  template <class First, class... More,
            class Refused = std::remove_pointer_t<decltype(reason_of_refusal<First, More...>())>>
  void operator()(First&&, More&&...) const = delete;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
