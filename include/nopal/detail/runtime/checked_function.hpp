// SPDX-License-Identifier: Apache-2.0
// A compiler says by these in one sentence why a function cannot be called, or not in the way in
// which it is to be called.
//
// Functions that take functions are not constrained. Compilers explain a constraint by all that led
// to it, and by each other overload; for an assertion they print its text. So a program that asks
// whether such a call can be written is told that it can. If the call is written nevertheless, the
// compiler says there what is wrong with it.
#pragma once

#include <coroutine>
#include <type_traits>
#include <utility>

#include "nopal/detail/runtime/completion.hpp"

namespace nopal::detail {

/// The result of an overload without named parameters. Only this overload can be called with a name
/// that several functions have, from which a template deduces nothing, or with no arguments at all.
struct one_function_comes_first__a_lambda_chooses_among_several_of_one_name;

/// Whether a result of type R can be handed on to the caller.
template <class R>
inline constexpr bool can_be_handed_on = std::is_void_v<R> || std::is_reference_v<R> ||
                                         std::is_move_constructible_v<std::remove_cv_t<R>>;

/// Returns can_be_handed_on<R>. If it is false, the compiler says so.
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

/// Whether F is a task, although a function that returns one is meant.
template <class F>
inline constexpr bool is_already_made = has_completion<std::remove_cvref_t<F>>;

/// Whether f(args...) can be called, and its result handed on. If not, the compiler says why.
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

/// Gives a call that was refused something to return, so that compilers say no more. It is not
/// defined.
template <class R>
R refused_result() noexcept;

/// A task awaits this in the place of a call that was refused, so that compilers say no more.
struct refused_expression {
  template <class Task>
  [[nodiscard]] std::suspend_never awaiter_in(Task& /*awaits*/) const noexcept {
    return {};
  }
};

}  // namespace nopal::detail
