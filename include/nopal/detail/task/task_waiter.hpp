// SPDX-License-Identifier: Apache-2.0
// A task waits by this for something that no join waits for.
#pragma once

#include <new>

#include "nopal/detail/task/suspended_task.hpp"
#include "nopal/detail/task/task_promise.hpp"
#include "nopal/detail/wait/waiter.hpp"

namespace nopal::detail {

/// The waiter of a task. It lies in the coroutine that waits, as a part of an awaiter.
class task_waiter : protected suspended_task {
 public:
  explicit task_waiter(task_promise& t) noexcept : suspended_task(t) {}

  /// Announces the task, which is suspended. Returns whether it has to wait, as await_suspend()
  /// does.
  bool wait_for(const announcement& a) noexcept {
    new (&waiter_) waiter(*this);
    leave_strand();
    if (a(waiter_)) {  // this may be gone now
      leave_to_base(chain_ends);
      return true;
    }
    set_views_of_strand(views_);
    return false;
  }

 protected:
  task_waiter(task_promise& t, run_function runs_it) noexcept : suspended_task(t, runs_it) {}

 private:
  union {
    waiter waiter_;  ///< Exists from the announcement on.
  };
};

/// What is done on a task's fresh stack before its coroutine goes on.
struct task_step {
  /// Returns whether the coroutine stays suspended. If so, the step may be gone.
  bool (*is_to_wait)(void* argument) noexcept;
  void* argument;
  task_promise* task;
};

/// The waiter of a task that may have to wait once more when it has been let go on.
class repeated_task_waiter : public task_waiter {
 public:
  /// \param f  is called on a fresh stack when the task has been let go on. It may call wait_for()
  /// again. Returns whether the task stays suspended; if so, the waiter may be gone.
  repeated_task_waiter(task_promise& t, bool (*f)(void* argument) noexcept, void* argument) noexcept
      : task_waiter(t, run), first_{f, argument, &t} {}

 private:
  static void run(continuation& c, worker& w) noexcept {
    auto& self = static_cast<repeated_task_waiter&>(c);
    self.task_->run_on(w, self.views_, self.scope_, self.first_);
  }

  task_step first_;
};

}  // namespace nopal::detail
