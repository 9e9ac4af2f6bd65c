// SPDX-License-Identifier: Apache-2.0
// A task waits by these for an awaitable that is not of nopal. docs/task.md, "Awaitables of
// others", has the protocol and its argument.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <utility>

#include "nopal/detail/scheduler/noted_wait.hpp"
#include "nopal/detail/task/foreign/foreign_awaitable.hpp"
#include "nopal/detail/task/segmented_stack.hpp"
#include "nopal/detail/task/task_parameters.hpp"
#include "nopal/detail/task/task_waiter.hpp"

namespace nopal::detail {

/// The wait of a task until somebody resumes or destroys the handle that an awaitable has been
/// given. It lies in the coroutine that awaits.
class foreign_wait : handle_target {
 public:
  explicit foreign_wait(task_promise& t) noexcept;
  foreign_wait(const foreign_wait&) = delete;
  foreign_wait& operator=(const foreign_wait&) = delete;

  /// The handle, which any thread may resume or destroy, once.
  using handle_target::handle;

  /// Announces the task, which is suspended. Called when all code of the awaitable has returned.
  /// Returns whether the task has to wait, as await_suspend() does; if it has, this may be gone.
  bool wait() noexcept;

  /// Ends the wait.
  /// \throws nopal::abandoned if the handle was destroyed.
  void end() const {
    // This is ordered by what has let the task go on.
    if (word_.load(std::memory_order_relaxed) == destroyed) [[unlikely]]
      throw_abandoned();
  }

 private:
  // The word has one of these, or is a waiter*.
  static constexpr std::uintptr_t pending = 0;
  static constexpr std::uintptr_t resumed = 1;
  static constexpr std::uintptr_t destroyed = 2;

  static void on_resume(handle_target* self) noexcept;
  static void on_destroy(handle_target* self) noexcept;
  void comes_to(std::uintptr_t end) noexcept;
  [[noreturn]] static void throw_abandoned();

  std::atomic<std::uintptr_t> word_{pending};
  task_waiter waiter_;
  [[no_unique_address]] expected_event from_outside_;
};

/// The awaiter of an X, which is not of nopal. It lies in the task that awaits.
template <foreign_awaitable X>
class foreign_awaiter {
 public:
  foreign_awaiter(task_promise& t, X&& x)
      : awaiter_(awaiter_of_foreign(std::forward<X>(x))), wait_(t) {
    static_assert(fits_frame<X> && alignof(foreign_awaiter) <= segmented_stack::alignment,
                  "nopal: a task cannot await what is over-aligned, since frames are aligned to 16 "
                  "bytes");
  }
  foreign_awaiter(const foreign_awaiter&) = delete;
  foreign_awaiter& operator=(const foreign_awaiter&) = delete;

  bool await_ready() { return awaiter_.await_ready() ? true : false; }
  bool await_suspend(std::coroutine_handle<>) {
    return suspend_foreign(awaiter_, wait_.handle()) && wait_.wait();
  }
  decltype(auto) await_resume() {
    wait_.end();
    return awaiter_.await_resume();
  }

 private:
  decltype(awaiter_of_foreign(std::declval<X>())) awaiter_;
  foreign_wait wait_;
};

}  // namespace nopal::detail
