// SPDX-License-Identifier: Apache-2.0
// worker_local checks the functions that it is given by these. If it cannot call one, the compiler
// says why. \see checked_function.hpp
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/runtime/checked_function.hpp"

namespace nopal::detail {

/// Returns the function that makes a worker's T if worker_local's constructor got none.
template <class T>
std::function<T()> default_maker() {
  constexpr bool has_one = std::default_initializable<T>;
  static_assert(has_one,
                "nopal::worker_local: T has no default constructor; give a function that makes a "
                "T");
  if constexpr (has_one)
    return [] { return T(); };
  else
    return {};
}

/// Returns the function that makes a worker's T, from the one that worker_local's constructor got.
template <class T, class F>
std::function<T()> maker(F&& make) {
  constexpr bool makes = std::is_constructible_v<std::function<T()>, F>;
  static_assert(makes, "nopal::worker_local: the function must be copyable, and return a T");
  if constexpr (makes)
    return std::forward<F>(make);
  else
    return {};
}

/// Whether worker_local::with() can call an F. If not, the compiler says why.
template <class T, class F>
constexpr bool check_with() noexcept {
  constexpr bool callable = std::is_invocable_v<F, T&>;
  static_assert(callable, "nopal::worker_local::with: the function must be callable with a T&");
  if constexpr (callable) {
    constexpr bool stays = !has_completion<std::remove_cvref_t<std::invoke_result_t<F, T&>>>;
    static_assert(stays,
                  "nopal::worker_local::with: the function returns a task, which may go on on "
                  "another worker, whose T is another; call with() in the task, between its "
                  "co_awaits");
    return stays;
  } else {
    return false;
  }
}

/// Whether worker_local::combine() can combine values by an Op. If not, the compiler says why.
template <class T, class Op>
constexpr bool check_combine() noexcept {
  constexpr bool copies = std::copy_constructible<T>;
  constexpr bool combines = std::is_invocable_r_v<T, Op&, T, const T&>;
  static_assert(copies, "nopal::worker_local::combine: T cannot be copied");
  static_assert(combines || !copies,
                "nopal::worker_local::combine: the operation must be callable with a T and a "
                "const T&, and return a T");
  return copies && combines;
}

}  // namespace nopal::detail
