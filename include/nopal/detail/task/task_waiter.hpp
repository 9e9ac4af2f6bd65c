// SPDX-License-Identifier: Apache-2.0
// A task waits by this for something that no join waits for.
#pragma once

#include <new>

#include "nopal/detail/strand/current_scope.hpp"
#include "nopal/detail/task/task_promise.hpp"
#include "nopal/detail/wait/waiter.hpp"

namespace nopal::detail {

/// The waiter of a task. It lies in the coroutine that waits, as a part of an awaiter.
class task_waiter : continuation {
 public:
  explicit task_waiter(task_promise& t) noexcept : continuation(run), task_(&t) {}

  /// Announces the task, which is suspended. Returns whether it has to wait, as await_suspend()
  /// does.
  bool wait_for(const announcement& a) noexcept {
    new (&waiter_) waiter(*this);
    strand_views* mine = take_views_of_strand();
    views_ = mine;
    scope_ = current_scope();
    if (a(waiter_)) {  // this may be gone now
      leave_to_base(chain_ends);
      return true;
    }
    set_views_of_strand(mine);
    return false;
  }

 private:
  static void run(continuation& c, worker& w) noexcept {
    auto& self = static_cast<task_waiter&>(c);
    self.task_->run_on(w, self.views_, self.scope_);
  }

  task_promise* task_;
  strand_views* views_ = nullptr;  ///< The views of the task, while it waits.
  stop_scope* scope_ = nullptr;    ///< Its scope, which is there as long as the task.
  union {
    waiter waiter_;  ///< Exists from the announcement on.
  };
};

}  // namespace nopal::detail
