// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/scheduler/submission.hpp"
#include "nopal/detail/strand/current_scope.hpp"
#include "nopal/detail/strand/worker.hpp"
#include "nopal/detail/task/task_promise.hpp"

namespace nopal::detail {

/// The awaiter of resume_on(). It lies in the coroutine that moves.
class resume_on_awaiter : continuation {
 public:
  resume_on_awaiter(task_promise& t, unsigned index) noexcept
      : continuation(run), task_(&t), index_(index) {}

  [[nodiscard]] bool await_ready() const { return is_this_worker(index_); }
  void await_suspend(std::coroutine_handle<>) noexcept {
    views_ = take_views_of_strand();
    scope_ = current_scope();
    submit_to(index_, *this);  // this may be gone now
    leave_to_base(chain_ends);
  }
  void await_resume() const noexcept {}

 private:
  static void run(continuation& c, worker& w) noexcept {
    auto& self = static_cast<resume_on_awaiter&>(c);
    self.task_->run_on(w, self.views_, self.scope_);
  }

  task_promise* task_;
  unsigned index_;
  strand_views* views_ = nullptr;  ///< The views of the task, while it moves.
  stop_scope* scope_ = nullptr;    ///< Its scope.
};

struct resume_on_expression {
  unsigned index;

  [[nodiscard]] resume_on_awaiter awaiter_in(task_promise& t) const noexcept { return {t, index}; }
};

}  // namespace nopal::detail
