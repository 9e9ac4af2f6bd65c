// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>

#include "nopal/detail/scheduler/submission.hpp"
#include "nopal/detail/task/suspended_task.hpp"
#include "nopal/detail/task/task_promise.hpp"

namespace nopal::detail {

/// The awaiter of resume_on().
class resume_on_awaiter : suspended_task {
 public:
  resume_on_awaiter(task_promise& t, unsigned index) noexcept : suspended_task(t), index_(index) {}

  [[nodiscard]] bool await_ready() const { return is_this_worker(index_); }
  void await_suspend(std::coroutine_handle<>) noexcept {
    leave_strand();
    submit_to(index_, *this);  // this may be gone now
    leave_to_base(chain_ends);
  }
  void await_resume() const noexcept {}

 private:
  unsigned index_;
};

struct resume_on_expression {
  unsigned index;

  [[nodiscard]] resume_on_awaiter awaiter_in(task_promise& t) const noexcept { return {t, index}; }
};

}  // namespace nopal::detail
