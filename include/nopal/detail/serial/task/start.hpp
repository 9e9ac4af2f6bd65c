// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <optional>
#include <utility>

#include "nopal/detail/serial/runtime.hpp"
#include "nopal/detail/serial/task.hpp"
#include "nopal/detail/task/checked_task.hpp"
#include "nopal/task/outcome.hpp"

namespace nopal {
inline namespace serial {
namespace serial_detail {

template <class T>
outcome<T> outcome_of(task<T>&& t) noexcept {
  outcome<T> result;
  result.set_from([&]() -> T { return wait(std::move(t)); });
  return result;
}

/// Ends the process if on_done() throws.
template <class T, class F>
void tell(F&& on_done, outcome<T>&& o) noexcept {
  if constexpr (is_task<std::invoke_result_t<F, outcome<T>>>)
    static_cast<void>(wait(std::forward<F>(on_done)(std::move(o))));
  else
    static_cast<void>(std::forward<F>(on_done)(std::move(o)));
}

template <class T>
struct start_awaiter : std::suspend_never {
  task<T> awaited;
  explicit start_awaiter(task<T>&& t) noexcept : awaited(std::move(t)) {}
  T await_resume() { return wait(std::move(awaited)); }
};

}  // namespace serial_detail

/// Runs the task at once.
template <class T, class F>
void start(task<T> t, F on_done) {
  if constexpr (detail::check_on_done<F, T>()) {
    serial_detail::access::check(t);
    serial_detail::tell(std::move(on_done), serial_detail::outcome_of(std::move(t)));
  }
}
template <class T, class F>
void start(runtime&, task<T> t, F on_done) {
  start(std::move(t), std::move(on_done));
}

template <class T>
serial_detail::start_awaiter<T> operator co_await(task<T>&& t) noexcept {
  return serial_detail::start_awaiter<T>(std::move(t));
}

}  // namespace serial
}  // namespace nopal
