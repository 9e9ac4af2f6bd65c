// SPDX-License-Identifier: Apache-2.0
// These say what parallel_invoke and its serial elision take, and what they give back.
#pragma once

#include <tuple>
#include <type_traits>

#include "nopal/detail/runtime/checked_function.hpp"
#include "nopal/detail/runtime/completion.hpp"

namespace nopal::detail {

/// The results of closures, in their order.
template <class... F>
using results = std::tuple<result_to_end<std::remove_reference_t<F>&>...>;

/// The type of the result of a closure that is run to its end; void if F cannot be called.
template <class F, bool = std::is_invocable_v<F&>>
struct result_of_closure {
  using type = result_to_end<F&>;
};
template <class F>
struct result_of_closure<F, false> {
  using type = void;
};
template <class F>
using result_of = typename result_of_closure<F>::type;

/// Whether all closures return something.
template <class... F>
inline constexpr bool all_return_something = sizeof...(F) > 0 &&
                                             (!std::is_void_v<result_of<F>> && ...);

/// Refuses closures that parallel_invoke does not take, and says why.
template <class... F>
struct checked_closures {
  static constexpr bool made = (is_already_made<F> || ...);
  static constexpr bool callable = (std::is_invocable_v<F&> && ...);
  static constexpr bool alike = all_return_something<F...> || (std::is_void_v<result_of<F>> && ...);
  static constexpr bool lasting = (!std::is_rvalue_reference_v<result_of<F>> && ...);
  static constexpr bool movable = (can_be_handed_on<result_of<F>> && ...);
  static constexpr bool right = !made && callable && alike && lasting && movable;

  static constexpr bool check() noexcept {
    static_assert(!made,
                  "nopal::parallel_invoke: a task is given where a closure is meant; give the "
                  "function that returns it");
    static_assert(made || callable,
                  "nopal::parallel_invoke: each argument must be callable without arguments: "
                  "[&] { return f(x); } instead of f(x)");
    static_assert(!callable || alike,
                  "nopal::parallel_invoke: either all closures return void, or none does");
    static_assert(lasting,
                  "nopal::parallel_invoke: a closure must not return an rvalue reference; let it "
                  "return the object");
    static_assert(!lasting || movable,
                  "nopal::parallel_invoke: a closure must return something that can be moved");
    return right;
  }
};

/// The type that parallel_invoke of such closures returns.
template <bool Something, class... F>
struct returned_by_all {
  using type = void;
};
template <class... F>
struct returned_by_all<true, F...> {
  using type = results<F...>;
};
template <class... F>
using returned_by =
    typename returned_by_all<all_return_something<F...> && checked_closures<F...>::right,
                             F...>::type;

}  // namespace nopal::detail
