// SPDX-License-Identifier: Apache-2.0
// This is a task that nopal::start() has started: nobody waits for it.
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/task/result_promise.hpp"
#include "nopal/detail/task/task_promise.hpp"
#include "nopal/task.hpp"
#include "nopal/task/outcome.hpp"

namespace nopal::detail {

class scheduler;

/// The outermost task of a tree for which nobody waits. It is freed when the task has ended, on the
/// scheduler stack of a worker, so nothing of the program is destroyed with it.
class started_task : outermost_task, continuation {
 public:
  /// Counts the task as work in flight, and has a worker run it.
  /// \param s  nullptr for the scheduler of the calling worker, or of the default runtime if the
  /// caller is no worker.
  /// \throws std::logic_error in a child of fork(2); the task has not been started then.
  void start(scheduler* s);

 protected:
  explicit started_task(void (*frees)(started_task&) noexcept) noexcept
      : continuation(run), frees_(frees) {
    tasks_ended = has_ended;
  }
  ~started_task() {
    if (task_ != nullptr) task_->handle().destroy();
  }

  /// Makes the task by make(). Its frame lies on the heap, whoever calls this.
  template <class Make>
  void runs(Make&& make) {
    leave_word_of_strand(nullptr);
    task_ = task_access::release(make());
    task_->belongs_to(*this);
  }
  /// Refuses a task whose frame lies on the stack of another tree.
  /// \throws std::logic_error if `t` has been moved from.
  template <class T>
  static void check(const task<T>& t) {
    if (!task_access::promise_of(t)->header().on_heap()) lies_on_a_stack();
  }
  [[noreturn]] static void lies_on_a_stack() noexcept;
  /// Ends the program. Called in a handler.
  [[noreturn]] static void callback_has_thrown() noexcept;

 private:
  static void run(continuation& c, worker& w) noexcept;
  static suspension* has_ended(stopped_strand& s) noexcept;

  void (*frees_)(started_task&) noexcept;
  task_promise* task_ = nullptr;
  task_stack* stack_ = nullptr;
  scheduler* runs_on_ = nullptr;
};

/// A task that gives its outcome to a function.
template <class T, class F>
class start_call final : public started_task {
 public:
  start_call(task<T>&& t, F&& on_done) : started_task(free) {
    check(t);
    work_.emplace(std::move(t), std::move(on_done));
    runs([this] { return run_and_tell(*this); });
  }

 private:
  struct work {
    work(task<T>&& t, F&& f) : computes(std::move(t)), on_done(std::move(f)) {}
    task<T> computes;
    F on_done;
  };

  static task<> run_and_tell(start_call& self) {
    outcome<T> result;
    try {
      if constexpr (std::is_void_v<T>) {
        co_await std::move(self.work_->computes);
        result.set_value();
      } else {
        result.set_value(co_await std::move(self.work_->computes));
      }
    } catch (...) {
      result.set_error(std::current_exception());
    }
    try {
      if constexpr (is_task<std::invoke_result_t<F, outcome<T>>>)
        co_await std::move(self.work_->on_done)(std::move(result));
      else
        static_cast<void>(std::move(self.work_->on_done)(std::move(result)));
    } catch (...) {
      callback_has_thrown();
    }
    self.work_.reset();  // here, on a strand: a destructor of the program may fork
  }
  static void free(started_task& t) noexcept { delete static_cast<start_call*>(&t); }

  std::optional<work> work_;  ///< Until the callback has returned.
};

/// Starts a task that gives its outcome to `on_done`.
/// \param s  as in started_task::start().
template <class T, class F>
void start_task(scheduler* s, task<T>&& t, F&& on_done) {
  auto call = std::make_unique<start_call<T, F>>(std::move(t), std::move(on_done));
  call->start(s);
  static_cast<void>(call.release());  // it frees itself
}

/// Resumes a coroutine of others when the task that it awaits has ended. It lies in that coroutine.
template <class T>
class start_awaiter {
 public:
  explicit start_awaiter(task<T>&& t) noexcept : task_(std::move(t)) {}

  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    start_task(nullptr, std::move(task_), [this, h](outcome<T>&& o) {
      result_.emplace(std::move(o));
      h.resume();  // this may be gone then
    });
  }
  T await_resume() { return result_->take(); }

 private:
  task<T> task_;
  std::optional<outcome<T>> result_;
};

}  // namespace nopal::detail
