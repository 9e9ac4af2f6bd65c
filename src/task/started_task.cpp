// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/task/foreign/started_task.hpp"

#include <string>

#include "platform/message.hpp"
#include "runtime/root_call.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal::detail {

void started_task::start(scheduler* s) {
  runs_on_ = &entered_scheduler(s);
  runs_on_->submit_detached(*this);
}

/// A worker runs this to begin with the task. The task has a stack of its own for its children, and
/// begins with no exception caught and in no scope of a stop, as a detached function does.
void started_task::run(continuation& c, worker& w) noexcept {
  auto& self = static_cast<started_task&>(c);
  frame_header& h = self.task_->header();
  NOPAL_ASSERT(h.on_heap());
  self.stack_ = take_task_stack();
  if (self.stack_ != nullptr) {
    self.stack_->outside = {};
    self.stack_->outside.fp = this_strand_worker().scheduler_fp;
  }
  h.base = reinterpret_cast<std::uintptr_t>(self.stack_) | 1;
  h.children = reinterpret_cast<std::uintptr_t>(self.stack_);
  self.task_->run_on(w, nullptr, nullptr);
}

/// Frees what is left of the task, and counts it as ended. Views of reducers have nobody to go to.
suspension* started_task::has_ended(stopped_strand& s) noexcept {
  auto& self = static_cast<started_task&>(s);
  NOPAL_ASSERT(self.exception == nullptr);
  scheduler& counted_by = *self.runs_on_;
  task_stack* const stack = self.stack_;
  self.frees_(self);
  spare_task_stack(stack);
  counted_by.finished();
  return nullptr;
}

void started_task::lies_on_a_stack() noexcept {
  misuse(
      "a function that was forked or called has made a task and given it to nopal::start, or to a "
      "coroutine of others. The frame of that task lies on the stack of the caller. Make the task "
      "in a function that returns no task, or in the body of a coroutine");
}

void started_task::callback_has_thrown() noexcept {
  std::string what = "of unknown type";
  try {
    throw;
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
  }
  misuse(("what nopal::start calls at the end of a task, or a coroutine of others that it resumes, "
          "has thrown an exception (" +
          what + "), which nobody catches. Catch it there")
             .c_str());
}

}  // namespace nopal::detail
