// SPDX-License-Identifier: Apache-2.0
// The serial elision of a task that awaits what is not of nopal: its thread waits.
#pragma once

#include <condition_variable>
#include <coroutine>
#include <mutex>
#include <utility>

#include "nopal/detail/task/foreign/foreign_awaitable.hpp"
#include "nopal/task/abandoned.hpp"

namespace nopal {
inline namespace serial {
namespace serial_detail {

/// The wait of a thread until somebody resumes or destroys the handle.
class foreign_wait : detail::handle_target {
 public:
  foreign_wait() noexcept : handle_target{on_resume, on_destroy} {}
  foreign_wait(const foreign_wait&) = delete;
  foreign_wait& operator=(const foreign_wait&) = delete;

  using handle_target::handle;

  void wait() {
    std::unique_lock held(lock_);
    ended_.wait(held, [this] { return state_ != pending; });
  }
  void end() const {
    if (state_ == destroyed)
      throw abandoned(
          "nopal: the handle of a task that awaits something was destroyed instead of resumed, so "
          "nobody will say what the task awaits");
  }

 private:
  enum state : int { pending, resumed, destroyed };

  static void on_resume(handle_target* self) noexcept {
    static_cast<foreign_wait*>(self)->comes_to(resumed);
  }
  static void on_destroy(handle_target* self) noexcept {
    static_cast<foreign_wait*>(self)->comes_to(destroyed);
  }
  void comes_to(state end) noexcept {
    const std::lock_guard held(lock_);
    state_ = end;
    ended_.notify_one();  // with the lock: afterwards this may be gone
  }

  std::mutex lock_;
  std::condition_variable ended_;
  state state_ = pending;
};

template <detail::foreign_awaitable X>
class foreign_awaiter {
 public:
  explicit foreign_awaiter(X&& x) : awaiter_(detail::awaiter_of_foreign(std::forward<X>(x))) {}
  foreign_awaiter(const foreign_awaiter&) = delete;
  foreign_awaiter& operator=(const foreign_awaiter&) = delete;

  bool await_ready() { return awaiter_.await_ready() ? true : false; }
  bool await_suspend(std::coroutine_handle<>) {
    if (detail::suspend_foreign(awaiter_, wait_.handle())) wait_.wait();
    return false;
  }
  decltype(auto) await_resume() {
    wait_.end();
    return awaiter_.await_resume();
  }

 private:
  decltype(detail::awaiter_of_foreign(std::declval<X>())) awaiter_;
  foreign_wait wait_;
};

}  // namespace serial_detail
}  // namespace serial
}  // namespace nopal
