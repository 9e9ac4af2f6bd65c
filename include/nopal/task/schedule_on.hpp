// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>

#include "nopal/task.hpp"

namespace nopal {

/// A scheduler of the program, which decides when tasks go on: s.schedule(h) takes a handle, and
/// the scheduler resumes it once, at any time, on any thread. If the scheduler destroys a handle,
/// its task goes on with the exception nopal::abandoned.
template <class S>
concept task_scheduler = requires(S& s, std::coroutine_handle<> h) { s.schedule(h); };

namespace detail {

template <task_scheduler S>
struct schedule_awaiter {
  S* scheduler;

  static bool await_ready() noexcept { return false; }
  void await_suspend(std::coroutine_handle<> h) { scheduler->schedule(h); }
  static void await_resume() noexcept {}
};

}  // namespace detail

/// co_await schedule_on(s) leaves the task to a scheduler of the program, and goes on when that has
/// resumed it. The scheduler decides when: by priority, by deadline, or so that only some run at a
/// time. The task goes on on a worker of its runtime, and resume_on() then moves it to a certain
/// one.
/// \code
/// struct one_at_a_time {
///   nopal::channel<std::coroutine_handle<>> waiting{1000};
///   void schedule(std::coroutine_handle<> h) { waiting.send(h); }
///   void run_next() {
///     if (std::optional<std::coroutine_handle<>> h = waiting.receive()) h->resume();
///   }
/// };
/// nopal::task<> has_turns(one_at_a_time& turns) {
///   co_await nopal::schedule_on(turns);
///   // It is the turn of this task.
///   turns.run_next();
/// }
/// \endcode
///
/// \param s  lives until it has resumed the task.
/// \throws what s.schedule() throws; nopal::abandoned.
/// Thread-safety: several tasks call s.schedule() at the same time.
/// Source: Williams and Elliott 2024, section III-D, whose library lets users schedule tasks.
template <task_scheduler S>
[[nodiscard("nopal: it takes place where it is awaited: co_await nopal::schedule_on(s)")]] detail::
    schedule_awaiter<S>
    schedule_on(S& s) noexcept {
  return {&s};
}

}  // namespace nopal
