// SPDX-License-Identifier: Apache-2.0
// The tasks that nopal::all() returns.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "nopal/task.hpp"

namespace nopal::detail {

template <class T>
inline constexpr bool is_one_task = false;
template <class T>
inline constexpr bool is_one_task<task<T>> = true;

template <class T>
using all_result = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

/// Hands a task that was made before to a fork.
struct hand_on {
  template <class T>
  task<T> operator()(task<T>& t) const noexcept {
    return std::move(t);
  }
};
inline constexpr hand_on hand_on_task;

/// The place for one of several results.
template <class T>
struct all_place : eventual<T> {
  auto fork(task<T>& t) noexcept {
    return nopal::fork(static_cast<eventual<T>*>(this), hand_on_task, t);
  }
  all_result<T> take() { return *std::move(static_cast<eventual<T>&>(*this)); }
};
template <>
struct all_place<void> {
  auto fork(task<>& t) noexcept { return nopal::fork(hand_on_task, t); }
  static std::monostate take() noexcept { return {}; }
};

template <class... T, std::size_t... I>
task<std::tuple<all_result<T>...>> all_of_tuple(std::index_sequence<I...>,
                                                std::tuple<task<T>...> tasks) {
  std::tuple<all_place<T>...> places;
  (co_await std::get<I>(places).fork(std::get<I>(tasks)), ...);
  co_await nopal::join();
  co_return std::tuple<all_result<T>...>(std::get<I>(places).take()...);
}

template <class T>
task<std::conditional_t<
    std::is_void_v<T>, void,
    std::vector<std::conditional_t<std::is_reference_v<T>, std::add_pointer_t<T>, all_result<T>>>>>
all_of_vector(std::vector<task<T>> tasks) {
  std::vector<all_place<T>> places(std::is_void_v<T> ? 1 : tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i)
    co_await places[std::is_void_v<T> ? 0 : i].fork(tasks[i]);
  co_await nopal::join();
  if constexpr (!std::is_void_v<T>) {
    std::vector<std::conditional_t<std::is_reference_v<T>, std::add_pointer_t<T>, all_result<T>>>
        results;
    results.reserve(places.size());
    for (all_place<T>& p : places) {
      if constexpr (std::is_reference_v<T>)
        results.push_back(&p.take());
      else
        results.push_back(p.take());
    }
    co_return results;
  }
}

}  // namespace nopal::detail
