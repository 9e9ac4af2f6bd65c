// SPDX-License-Identifier: Apache-2.0
// A task gets this from async_blocking(), and awaits it.
#pragma once

#include <coroutine>
#include <utility>

#include "nopal/detail/async/task_waiter.hpp"
#include "nopal/detail/io/blocking_job.hpp"

namespace nopal::detail {

/// This awaiter lies in the task that awaits the function.
template <class F>
class blocking_awaiter {
 public:
  blocking_awaiter(task_promise& t, F& f) noexcept : waiter_(t), call_(f) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<>) noexcept {
    auto begin = [c = &call_](waiter& w) noexcept { return c->begin(w); };
    return waiter_.wait_for(announcement_of(begin));
  }
  decltype(auto) await_resume() { return call_.result(); }

 private:
  task_waiter waiter_;
  blocking_call<F> call_;
};

template <class F>
class blocking_expression {
 public:
  explicit blocking_expression(F f) : f_(std::move(f)) {}
  [[nodiscard]] blocking_awaiter<F> awaiter_in(task_promise& t) const noexcept { return {t, f_}; }

 private:
  mutable F f_;
};

}  // namespace nopal::detail
