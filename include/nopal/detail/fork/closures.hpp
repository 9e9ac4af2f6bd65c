// SPDX-License-Identifier: Apache-2.0
// What parallel_invoke and its serial elision take, and what they give back.
#pragma once

#include <tuple>
#include <type_traits>

namespace nopal::detail {

/// What closures return, in their order.
template <class... F>
using results = std::tuple<std::invoke_result_t<std::remove_reference_t<F>&>...>;

/// The result of a closure; void where F cannot be called.
template <class F, bool = std::is_invocable_v<F&>>
struct result_of_closure {
  using type = std::invoke_result_t<F&>;
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

/// What parallel_invoke of such closures returns.
template <bool Something, class... F>
struct returned_by_all {
  using type = void;
};
template <class... F>
struct returned_by_all<true, F...> {
  using type = results<F...>;
};
template <class... F>
using returned_by = typename returned_by_all<all_return_something<F...>, F...>::type;

/// Refuses closures that parallel_invoke does not take, and says why in the first error.
template <class... F>
constexpr void check_closures() noexcept {
  static_assert((std::is_invocable_v<F&> && ...),
                "nopal::parallel_invoke: each argument must be callable without arguments");
  static_assert(all_return_something<F...> || !std::conjunction_v<std::is_invocable<F&>...> ||
                    (std::is_void_v<result_of<F>> && ...),
                "nopal::parallel_invoke: either all closures return void, or none does");
  static_assert((!std::is_rvalue_reference_v<result_of<F>> && ...),
                "nopal::parallel_invoke: a closure must not return an rvalue reference; let it "
                "return the object");
  static_assert(
      ((std::is_void_v<result_of<F>> || std::is_move_constructible_v<result_of<F>>) && ...),
      "nopal::parallel_invoke: a closure must return something that can be moved");
}

}  // namespace nopal::detail
