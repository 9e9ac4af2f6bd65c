// SPDX-License-Identifier: Apache-2.0
// A compiler says by these what is wrong with a fork or a call that makes no task, and with a
// co_return of something else. \see checked_function.hpp
#pragma once

#include <type_traits>

namespace nopal {

template <class T>
class outcome;

namespace detail {

/// Says whether a task can be forked or called. If not, the compiler says why.
/// \tparam Made  a task is given. Callable: the function can be called with the arguments. Task: it
/// then returns a task. Fits: its result can go where it is to go. Call: whatever tells one call
/// from the next; compilers say once what is wrong with a function.
template <bool Made, bool Callable, bool Task, bool Fits, class... Call>
struct checked_task_call {
  static constexpr bool check() noexcept {
    static_assert(
        !Made, "nopal: a task is given where a function is meant: fork(f, x) and not fork(f(x))");
    static_assert(
        Made || Callable,
        "nopal: fork and call take a function and its arguments, after a pointer to where "
        "the result goes if that is wanted; this function cannot be called with these "
        "arguments");
    static_assert(!Callable || Task,
                  "nopal: the function does not return a nopal::task, so it can be neither forked "
                  "nor called by a task; parallel_invoke and fork_frame take plain functions");
    static_assert(Fits,
                  "nopal: the result goes to a variable of the type that the task returns, without "
                  "a conversion, or to a nopal::eventual or nopal::try_eventual of it; and that of "
                  "a reference to a pointer");
    return !Made && Callable && Task && Fits;
  }
};

/// Returns whether F can be called with the outcome of a T task. If not, the compiler says why.
template <class F, class T>
constexpr bool check_on_done() noexcept {
  constexpr bool right = std::is_invocable_v<F, outcome<T>>;
  static_assert(right,
                "nopal::start: on_done is called with a nopal::outcome of the task's result; it "
                "cannot be called so");
  return right;
}

/// Returns Right: whether a task's result of type To can be made of a From. If not, the compiler
/// says so, and names both.
template <bool Right, class To, class From>
constexpr bool check_co_return() noexcept {
  static_assert(Right,
                "nopal::task: the result of the task cannot be made from what co_return "
                "gives");
  return Right;
}

}  // namespace detail
}  // namespace nopal
