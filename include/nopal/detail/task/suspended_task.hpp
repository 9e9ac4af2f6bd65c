// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/strand/current_scope.hpp"
#include "nopal/detail/strand/worker.hpp"
#include "nopal/detail/task/task_promise.hpp"

namespace nopal::detail {

/// A task that is suspended for something else than a join, as the continuation that goes on with
/// it. It lies in the coroutine, as a part of an awaiter.
class suspended_task : protected continuation {
 protected:
  explicit suspended_task(task_promise& t) noexcept : suspended_task(t, run) {}
  suspended_task(task_promise& t, run_function runs_it) noexcept
      : continuation(runs_it), task_(&t) {}

  /// Takes what the task goes on with from the strand. Called before anybody can find this.
  void leave_strand() noexcept {
    views_ = take_views_of_strand();
    scope_ = current_scope();
  }

  task_promise* task_;
  strand_views* views_ = nullptr;  ///< The views of the task, while it is suspended.
  stop_scope* scope_ = nullptr;    ///< Its scope, which is there as long as the task.

 private:
  static void run(continuation& c, worker& w) noexcept {
    auto& self = static_cast<suspended_task&>(c);
    self.task_->run_on(w, self.views_, self.scope_);
  }
};

}  // namespace nopal::detail
