// SPDX-License-Identifier: Apache-2.0
// A task gets this from async_blocking(), and awaits it.
#pragma once

#include <coroutine>
#include <utility>

#include "nopal/detail/io/blocking_job.hpp"
#include "nopal/detail/task/task_waiter.hpp"

namespace nopal::detail {

/// This awaiter lies in the task that awaits the function.
template <class F>
class blocking_awaiter {
 public:
  blocking_awaiter(task_promise& t, F& f) noexcept : waiter_(t), call_(f) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<>) noexcept {
    return waiter_.wait_for([c = &call_](waiter& w) noexcept { return c->begin(w); });
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
