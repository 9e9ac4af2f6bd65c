// SPDX-License-Identifier: Apache-2.0
// A compiler says by these why a worker_local cannot call a function. \see checked_function.hpp
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/runtime/checked_function.hpp"

namespace nopal::detail {

/// Returns what makes a T if the program does not say how.
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

template <class T, class F>
std::function<T()> maker(F&& make) {
  constexpr bool makes = std::is_constructible_v<std::function<T()>, F>;
  static_assert(makes, "nopal::worker_local: the function must be copyable, and return a T");
  if constexpr (makes)
    return std::forward<F>(make);
  else
    return {};
}

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
