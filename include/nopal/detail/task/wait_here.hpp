// SPDX-License-Identifier: Apache-2.0
// This runs a task from plain code, and what a function returns that may be a task.
#pragma once

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/runtime/completion.hpp"
#include "nopal/detail/strand/worker.hpp"
#include "nopal/detail/task/result_promise.hpp"
#include "nopal/detail/task/task_declaration.hpp"
#include "nopal/detail/task/task_promise.hpp"

namespace nopal {

template <class T>
T wait(task<T> t);  // in task.hpp

namespace detail {

/// Runs a task on the calling worker, and returns or throws what it does. If other workers have
/// stolen from the task, the strand is suspended until it has ended. This function is not inlined,
/// because of what it throws: see held_exception.hpp.
template <class T>
NOPAL_NOINLINE T wait_here(task<T>&& t) {
  task<T> own = std::move(t);
  result_promise<T>& p = *task_access::promise_of(own);
  outermost_task waiting;
  p.belongs_to(waiting);
  if constexpr (std::is_void_v<T>) {
    waiting.run(p);
    if (waiting.exception != nullptr) std::rethrow_exception(std::move(waiting.exception));
  } else {
    std::optional<stored<T>> value;
    p.result_goes_to(&value);
    waiting.run(p);
    if (waiting.exception != nullptr) std::rethrow_exception(std::move(waiting.exception));
    if constexpr (std::is_reference_v<T>)
      return static_cast<T>(**value);
    else
      return *std::move(value);
  }
}

/// Wherever a function is given to nopal it may return a task, which is then run to its end.
template <class T>
struct completion<task<T>> {
  /// Runs the task that the function has returned.
  static T complete(task<T>&& t) {
    if (this_worker() == nullptr) [[unlikely]]
      return nopal::wait(std::move(t));
    return wait_here(std::move(t));
  }
  /// Does what complete() does. The caller is on a worker.
  static T complete_here(task<T>&& t) { return wait_here(std::move(t)); }
};

}  // namespace detail
}  // namespace nopal
