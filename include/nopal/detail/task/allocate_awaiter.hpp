// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>

#include "nopal/detail/task/task_awaiters.hpp"
#include "nopal/detail/task/task_promise.hpp"

namespace nopal {

template <class T>
class task_array;

namespace detail {

template <class T>
struct allocate_awaiter {
  task_promise* task;
  std::size_t size;

  [[nodiscard]] bool await_ready() const noexcept { return task->joined(); }
  template <class P>
  static bool await_suspend(std::coroutine_handle<P> h) noexcept {
    return join_awaiter::await_suspend(h);
  }
  [[nodiscard]] task_array<T> await_resume() const {
    task->finish_join();
    return task_array<T>(*task, size);
  }
};

template <class T>
struct allocate_expression {
  std::size_t size;

  [[nodiscard]] allocate_awaiter<T> awaiter_in(task_promise& t) const noexcept {
    return {&t, size};
  }
};

}  // namespace detail
}  // namespace nopal
