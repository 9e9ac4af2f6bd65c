// SPDX-License-Identifier: Apache-2.0
// What a compiler says of a function that cannot be called, or not as it is to be: one sentence.
//
// Functions that take functions are not constrained. Compilers explain a constraint by all that led
// to it, and by each other overload; of an assertion they give the text. So whoever asks if such a
// call can be written learns that it can, and what is wrong with it where it is written.
#pragma once

#include <coroutine>
#include <functional>
#include <type_traits>
#include <utility>

#include "nopal/detail/runtime/completion.hpp"

namespace nopal::detail {

/// What an overload without parameters returns. It is the only one to take a name that several
/// functions have, which tells a template nothing, and no arguments at all.
struct one_function_comes_first__a_lambda_chooses_among_several_of_one_name;

/// Whether a result of type R can be handed on to whoever has called.
template <class R>
inline constexpr bool can_be_handed_on = std::is_void_v<R> || std::is_reference_v<R> ||
                                         std::is_move_constructible_v<std::remove_cv_t<R>>;

/// The same. If not, says so.
template <class R>
constexpr bool check_result() noexcept {
  static_assert(can_be_handed_on<R>,
                "nopal: what the function returns can neither be copied nor moved, so it cannot "
                "come back; let it return a reference or a std::unique_ptr");
  return can_be_handed_on<R>;
}

template <bool Callable, class F, class... A>
inline constexpr bool result_can_be_handed_on = true;
template <class F, class... A>
inline constexpr bool result_can_be_handed_on<true, F, A...> =
    can_be_handed_on<result_to_end<F, A...>>;

/// Whether the first argument of a fork is a pointer to where the result goes. No such pointer can
/// be called.
template <class First>
inline constexpr bool is_place = std::is_pointer_v<std::decay_t<First>> &&
                                 !std::is_function_v<std::remove_pointer_t<std::decay_t<First>>>;

/// Whether F is a task, where a function that returns one is meant.
template <class F>
inline constexpr bool is_already_made = has_completion<std::remove_cvref_t<F>>;

/// Whether f(args...) can be called, and its result handed on. If not, says why.
template <class F, class... A>
constexpr bool check_function() noexcept {
  constexpr bool made = is_already_made<F>;
  constexpr bool callable = std::is_invocable_v<F, A...>;
  constexpr bool movable = result_can_be_handed_on<callable, F, A...>;
  static_assert(!made,
                "nopal: a task is given where a function is meant; give the function that returns "
                "it, and its arguments; or give the task to nopal::wait");
  static_assert(made || callable, "nopal: the function cannot be called with these arguments");
  static_assert(movable,
                "nopal: what the function returns can neither be copied nor moved, so it cannot "
                "come back; let it return a reference or a std::unique_ptr");
  return !made && callable && movable;
}

/// What a call that was refused returns, so that compilers say no more. Not defined.
template <class R>
R refused_result() noexcept;

/// What is awaited in the place of a call that was refused, so that compilers say no more.
struct refused_expression {
  template <class Task>
  [[nodiscard]] std::suspend_never awaiter_in(Task& /*awaits*/) const noexcept {
    return {};
  }
};

}  // namespace nopal::detail
