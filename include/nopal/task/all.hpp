// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/detail/task/all_tasks.hpp"
#include "nopal/task.hpp"

namespace nopal {

/// A task that runs all of these tasks, in parallel, and returns their results in the order of its
/// arguments: a std::tuple, with std::monostate for a task without a result.
/// \code
/// nopal::task<int> length(std::string s) { co_return static_cast<int>(s.size()); }
/// nopal::task<int> sum() {
///   auto [a, b] = co_await nopal::all(length("one"), length("three"));
///   co_return a + b;
/// }
/// \endcode
///
/// \throws the exception of the first of the tasks that threw, in the order of the arguments, when
/// all have ended.
/// Complexity: a fork for each task. The frames of the tasks, which were made before, lie on the
/// heap; a fork of the functions is cheaper.
template <class... T>
task<std::tuple<detail::all_result<T>...>> all(task<T>... tasks) {
  return detail::all_of_tuple<T...>(std::index_sequence_for<T...>(),
                                    std::tuple<task<T>...>(std::move(tasks)...));
}

/// Does the same for a range of tasks of one type T, which are moved out of it. The results are a
/// std::vector<T>; of a T& it has a T*, and for a task without a result there is none.
/// \code
/// nopal::task<int> square(int n) { co_return n * n; }
/// nopal::task<std::vector<int>> squares(int n) {
///   std::vector<nopal::task<int>> each;
///   for (int i = 0; i < n; ++i) each.push_back(square(i));
///   co_return co_await nopal::all(std::move(each));
/// }
/// \endcode
template <std::ranges::input_range R>
  requires detail::is_one_task<std::ranges::range_value_t<R>>
auto all(R&& tasks) {
  using one = std::ranges::range_value_t<R>;
  std::vector<one> own;
  if constexpr (std::ranges::sized_range<R>) own.reserve(std::ranges::size(tasks));
  for (auto&& t : tasks) own.push_back(std::move(t));
  return detail::all_of_vector<typename one::value_type>(std::move(own));
}

}  // namespace nopal
