// SPDX-License-Identifier: Apache-2.0
// This says what fork_frame::fork() and its serial elision take, and what a compiler says of the
// rest.
// \see checked_function.hpp
#pragma once

#include <type_traits>
#include <utility>

#include "nopal/detail/runtime/checked_function.hpp"
#include "nopal/detail/runtime/completion.hpp"

namespace nopal::detail {

template <class R, class F, class... A>
inline constexpr bool result_fits = true;
template <class R, class F, class... A>
  requires(!std::is_void_v<R> && std::is_invocable_v<F, A...>)
inline constexpr bool result_fits<R, F, A...> = std::is_assignable_v<R&, result_to_end<F, A...>>;

/// Whether f(args...), all copied or moved, can be forked, and its result assigned to an R. If not,
/// the compiler says why.
/// \tparam R  void if the result is dropped.
template <class R, class F, class... A>
constexpr bool check_forked_call() noexcept {
  constexpr bool made = is_already_made<F>;
  constexpr bool copied = std::is_constructible_v<std::decay_t<F>, F> &&
                          (std::is_constructible_v<std::decay_t<A>, A> && ...);
  constexpr bool callable = std::is_invocable_v<std::decay_t<F>, std::decay_t<A>...>;
  constexpr bool takes_references =
      !callable && std::is_invocable_v<std::decay_t<F>, std::remove_reference_t<A>&...>;
  constexpr bool fits = result_fits<R, std::decay_t<F>, std::decay_t<A>...>;
  static_assert(!made,
                "nopal::fork_frame: a task is given where a function is meant; give the function "
                "that returns it, and its arguments");
  static_assert(copied,
                "nopal::fork_frame: the function or an argument cannot be copied, and the child "
                "has its own; std::move it, or hand over a variable itself by std::ref");
  static_assert(!takes_references || !copied,
                "nopal::fork_frame: a parameter is a reference, and a child gets copies of its "
                "arguments; hand over a variable itself by std::ref, or take the parameter by "
                "value");
  static_assert(made || callable || takes_references || !copied,
                "nopal::fork_frame: fork takes a function and its arguments, after a pointer to "
                "where the result goes if that is wanted; this function cannot be called with "
                "these arguments, moved");
  static_assert(fits,
                "nopal::fork_frame: the result cannot be assigned to where the pointer points");
  return !made && copied && callable && fits;
}

}  // namespace nopal::detail
