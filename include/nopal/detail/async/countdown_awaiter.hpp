// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>

#include "nopal/detail/scheduler/noted_wait.hpp"
#include "nopal/detail/task/task_waiter.hpp"

namespace nopal::detail {

/// The awaiter of a countdown. It lies in the task that awaits. This is a template because the
/// countdown is not complete here.
template <class Countdown>
class countdown_awaiter {
 public:
  countdown_awaiter(task_promise& t, Countdown* d) noexcept : waiter_(t), countdown_(d) {}

  [[nodiscard]] bool await_ready() const noexcept { return countdown_->done(); }
  bool await_suspend(std::coroutine_handle<>) noexcept {
#ifdef NOPAL_CHECK
    noted_.begin(countdown_->as_reason());
#endif
    return waiter_.wait_for([d = countdown_](waiter& w) noexcept { return d->announce(w); });
  }
  void await_resume() const noexcept {
#ifdef NOPAL_CHECK
    noted_.end();  // before the countdown may end
#endif
    countdown_->begin_again();
  }

 private:
  task_waiter waiter_;
  Countdown* countdown_;
#ifdef NOPAL_CHECK
  mutable noted_wait noted_;
#endif
};

}  // namespace nopal::detail
