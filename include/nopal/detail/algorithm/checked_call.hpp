// SPDX-License-Identifier: Apache-2.0
// This is the door to an algorithm: it takes every call, makes the algorithm's own call of it, and
// has the compiler say in one sentence why the algorithm does not take it, instead of printing a
// page of concepts.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"
#include "nopal/algorithm/loop_options.hpp"
#include "nopal/detail/algorithm/call.hpp"
#include "nopal/detail/algorithm/refusal.hpp"
#include "nopal/detail/algorithm/say_why.hpp"
#include "nopal/detail/algorithm/stoppable.hpp"
#include "nopal/detail/runtime/checked_function.hpp"

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

template <class Algorithm, class P, class First, class... More>
NOPAL_ALWAYS_INLINE decltype(auto) call(P policy, First&& first, More&&... more) {
  constexpr call_form form = form_of<Algorithm, P, First, More...>();
  const entry<Algorithm, P> to{policy};
  if constexpr (form == call_form::iterators)
    return to.iterators(std::forward<First>(first), std::forward<More>(more)...);
  else if constexpr (form == call_form::range)
    return to.range(std::forward<First>(first), std::forward<More>(more)...);
  else if constexpr (form == call_form::whole)
    return to.whole(first, std::forward<More>(more)...);
  else if constexpr (form == call_form::two_ranges)
    return to.two_ranges(std::forward<First>(first), std::forward<More>(more)...);
  else
    return to.integers(std::forward<First>(first), std::forward<More>(more)...);
}

/// Calls an algorithm without options. The call may begin with nopal::grain{n} or
/// nopal::deterministic.
template <class Algorithm, class First, class... More>
NOPAL_ALWAYS_INLINE decltype(auto) call_plainly(First&& first, More&&... more) {
  if constexpr (sizeof...(More) > 0 && is_policy<First>)
    return call<Algorithm>(first, std::forward<More>(more)...);
  else
    return call<Algorithm>(grain{}, std::forward<First>(first), std::forward<More>(more)...);
}

/// Calls an algorithm with such options. What nopal::grain{n} says as the first argument comes
/// before what the options say.
template <class Algorithm, class First, class... More>
NOPAL_ALWAYS_INLINE decltype(auto) call_with_options(const loop_options& o, First&& first,
                                                     More&&... more) {
  const auto run = [&]() -> decltype(auto) {
    if constexpr (is_policy<First>)
      return call<Algorithm>(first, std::forward<More>(more)...);
    else
      return call<Algorithm>(grain{o.grain}, std::forward<First>(first),
                             std::forward<More>(more)...);
  };
  return o.stop.stop_possible() ? stoppable(o.stop, run) : run();
}

/// An algorithm for users. It accepts every call, so that a compiler can say what is wrong with one
/// that the algorithm does not take; see checked_function.hpp.
///
/// A braced argument has no type that could be deduced, so the calls that may have one are written
/// out by their number of arguments: those with options, and those in which `{}` stands for the
/// algorithm's own function and a projection follows. Other calls come to the first operator.
///
/// No operator is inlined, because of what algorithms throw: see held_exception.hpp. All between it
/// and the algorithm is.
template <class Algorithm>
struct checked_call {
  template <class First, class... More>
    requires has_no_options<First, More...>
  NOPAL_NOINLINE decltype(auto) operator()(First&& first, More&&... more) const {
    if constexpr (accepts<Algorithm, First, More...>)
      return call_plainly<Algorithm>(std::forward<First>(first), std::forward<More>(more)...);
    else
      say_why<reason_of_refusal<Algorithm, First, More...>(), First, More...>();
  }

  template <class A0>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, const loop_options& o) const {
    if constexpr (accepts<Algorithm, A0>)
      return call_with_options<Algorithm>(o, std::forward<A0>(a0));
    else
      say_why<reason_of_refusal<Algorithm, A0>(), A0>();
  }
  template <class A0, class A1 = braces>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, A1&& a1, const loop_options& o) const {
    if constexpr (accepts<Algorithm, A0, A1>)
      return call_with_options<Algorithm>(o, std::forward<A0>(a0), std::forward<A1>(a1));
    else
      say_why<reason_of_refusal<Algorithm, A0, A1>(), A0, A1>();
  }
  template <class A0, class A1 = braces, class A2 = braces>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, A1&& a1, A2&& a2, const loop_options& o) const {
    if constexpr (accepts<Algorithm, A0, A1, A2>)
      return call_with_options<Algorithm>(o, std::forward<A0>(a0), std::forward<A1>(a1),
                                          std::forward<A2>(a2));
    else
      say_why<reason_of_refusal<Algorithm, A0, A1, A2>(), A0, A1, A2>();
  }
  template <class A0, class A1 = braces, class A2 = braces, class A3 = braces>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, A1&& a1, A2&& a2, A3&& a3,
                                           const loop_options& o) const {
    if constexpr (accepts<Algorithm, A0, A1, A2, A3>)
      return call_with_options<Algorithm>(o, std::forward<A0>(a0), std::forward<A1>(a1),
                                          std::forward<A2>(a2), std::forward<A3>(a3));
    else
      say_why<reason_of_refusal<Algorithm, A0, A1, A2, A3>(), A0, A1, A2, A3>();
  }
  template <class A0, class A1 = braces, class A2 = braces, class A3 = braces, class A4 = braces>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4,
                                           const loop_options& o) const {
    if constexpr (accepts<Algorithm, A0, A1, A2, A3, A4>)
      return call_with_options<Algorithm>(o, std::forward<A0>(a0), std::forward<A1>(a1),
                                          std::forward<A2>(a2), std::forward<A3>(a3),
                                          std::forward<A4>(a4));
    else
      say_why<reason_of_refusal<Algorithm, A0, A1, A2, A3, A4>(), A0, A1, A2, A3, A4>();
  }
  template <class A0, class A1 = braces, class A2 = braces, class A3 = braces, class A4 = braces,
            class A5 = braces>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5,
                                           const loop_options& o) const {
    if constexpr (accepts<Algorithm, A0, A1, A2, A3, A4, A5>)
      return call_with_options<Algorithm>(o, std::forward<A0>(a0), std::forward<A1>(a1),
                                          std::forward<A2>(a2), std::forward<A3>(a3),
                                          std::forward<A4>(a4), std::forward<A5>(a5));
    else
      say_why<reason_of_refusal<Algorithm, A0, A1, A2, A3, A4, A5>(), A0, A1, A2, A3, A4, A5>();
  }
  template <class A0, class A1 = braces, class A2 = braces, class A3 = braces, class A4 = braces,
            class A5 = braces, class A6 = braces>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5,
                                           A6&& a6, const loop_options& o) const {
    if constexpr (accepts<Algorithm, A0, A1, A2, A3, A4, A5, A6>)
      return call_with_options<Algorithm>(
          o, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3),
          std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6));
    else
      say_why<reason_of_refusal<Algorithm, A0, A1, A2, A3, A4, A5, A6>(), A0, A1, A2, A3, A4, A5,
              A6>();
  }
  template <class A0, class A1 = braces, class A2 = braces, class A3 = braces, class A4 = braces,
            class A5 = braces, class A6 = braces, class A7 = braces>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5,
                                           A6&& a6, A7&& a7, const loop_options& o) const {
    if constexpr (accepts<Algorithm, A0, A1, A2, A3, A4, A5, A6, A7>)
      return call_with_options<Algorithm>(
          o, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3),
          std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7));
    else
      say_why<reason_of_refusal<Algorithm, A0, A1, A2, A3, A4, A5, A6, A7>(), A0, A1, A2, A3, A4,
              A5, A6, A7>();
  }
  template <class A0, class A1 = braces, class A2 = braces, class A3 = braces, class A4 = braces,
            class A5 = braces, class A6 = braces, class A7 = braces, class A8 = braces>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5,
                                           A6&& a6, A7&& a7, A8&& a8, const loop_options& o) const {
    if constexpr (accepts<Algorithm, A0, A1, A2, A3, A4, A5, A6, A7, A8>)
      return call_with_options<Algorithm>(
          o, std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3),
          std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7),
          std::forward<A8>(a8));
    else
      say_why<reason_of_refusal<Algorithm, A0, A1, A2, A3, A4, A5, A6, A7, A8>(), A0, A1, A2, A3,
              A4, A5, A6, A7, A8>();
  }

  template <class A0, class A1 = braces, class A2 = braces>
    requires has_braces<A1>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, A1&& a1, A2&& a2) const {
    if constexpr (accepts<Algorithm, A0, A1, A2>)
      return call_plainly<Algorithm>(std::forward<A0>(a0), std::forward<A1>(a1),
                                     std::forward<A2>(a2));
    else
      say_why<reason_of_refusal<Algorithm, A0, A1, A2>(), A0, A1, A2>();
  }
  template <class A0, class A1 = braces, class A2 = braces, class A3 = braces>
    requires has_braces<A1, A2>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, A1&& a1, A2&& a2, A3&& a3) const {
    if constexpr (accepts<Algorithm, A0, A1, A2, A3>)
      return call_plainly<Algorithm>(std::forward<A0>(a0), std::forward<A1>(a1),
                                     std::forward<A2>(a2), std::forward<A3>(a3));
    else
      say_why<reason_of_refusal<Algorithm, A0, A1, A2, A3>(), A0, A1, A2, A3>();
  }
  template <class A0, class A1 = braces, class A2 = braces, class A3 = braces, class A4 = braces>
    requires has_braces<A1, A2, A3>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4) const {
    if constexpr (accepts<Algorithm, A0, A1, A2, A3, A4>)
      return call_plainly<Algorithm>(std::forward<A0>(a0), std::forward<A1>(a1),
                                     std::forward<A2>(a2), std::forward<A3>(a3),
                                     std::forward<A4>(a4));
    else
      say_why<reason_of_refusal<Algorithm, A0, A1, A2, A3, A4>(), A0, A1, A2, A3, A4>();
  }
  template <class A0, class A1 = braces, class A2 = braces, class A3 = braces, class A4 = braces,
            class A5 = braces>
    requires has_braces<A1, A2, A3, A4>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4,
                                           A5&& a5) const {
    if constexpr (accepts<Algorithm, A0, A1, A2, A3, A4, A5>)
      return call_plainly<Algorithm>(std::forward<A0>(a0), std::forward<A1>(a1),
                                     std::forward<A2>(a2), std::forward<A3>(a3),
                                     std::forward<A4>(a4), std::forward<A5>(a5));
    else
      say_why<reason_of_refusal<Algorithm, A0, A1, A2, A3, A4, A5>(), A0, A1, A2, A3, A4, A5>();
  }
  template <class A0, class A1 = braces, class A2 = braces, class A3 = braces, class A4 = braces,
            class A5 = braces, class A6 = braces>
    requires has_braces<A1, A2, A3, A4, A5>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5,
                                           A6&& a6) const {
    if constexpr (accepts<Algorithm, A0, A1, A2, A3, A4, A5, A6>)
      return call_plainly<Algorithm>(
          std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3),
          std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6));
    else
      say_why<reason_of_refusal<Algorithm, A0, A1, A2, A3, A4, A5, A6>(), A0, A1, A2, A3, A4, A5,
              A6>();
  }
  template <class A0, class A1 = braces, class A2 = braces, class A3 = braces, class A4 = braces,
            class A5 = braces, class A6 = braces, class A7 = braces>
    requires has_braces<A1, A2, A3, A4, A5, A6>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5,
                                           A6&& a6, A7&& a7) const {
    if constexpr (accepts<Algorithm, A0, A1, A2, A3, A4, A5, A6, A7>)
      return call_plainly<Algorithm>(
          std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3),
          std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7));
    else
      say_why<reason_of_refusal<Algorithm, A0, A1, A2, A3, A4, A5, A6, A7>(), A0, A1, A2, A3, A4,
              A5, A6, A7>();
  }
  template <class A0, class A1 = braces, class A2 = braces, class A3 = braces, class A4 = braces,
            class A5 = braces, class A6 = braces, class A7 = braces, class A8 = braces>
    requires has_braces<A1, A2, A3, A4, A5, A6, A7>
  NOPAL_NOINLINE decltype(auto) operator()(A0&& a0, A1&& a1, A2&& a2, A3&& a3, A4&& a4, A5&& a5,
                                           A6&& a6, A7&& a7, A8&& a8) const {
    if constexpr (accepts<Algorithm, A0, A1, A2, A3, A4, A5, A6, A7, A8>)
      return call_plainly<Algorithm>(
          std::forward<A0>(a0), std::forward<A1>(a1), std::forward<A2>(a2), std::forward<A3>(a3),
          std::forward<A4>(a4), std::forward<A5>(a5), std::forward<A6>(a6), std::forward<A7>(a7),
          std::forward<A8>(a8));
    else
      say_why<reason_of_refusal<Algorithm, A0, A1, A2, A3, A4, A5, A6, A7, A8>(), A0, A1, A2, A3,
              A4, A5, A6, A7, A8>();
  }

  template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
  No operator()(...) const;
};

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
