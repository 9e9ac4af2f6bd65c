// SPDX-License-Identifier: Apache-2.0
// The four forms of each call: for plain code and for tasks, with an exception or an error code.
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/io.hpp"
#else

#include <coroutine>
#include <system_error>

#include "nopal/detail/io/call.hpp"
#include "nopal/detail/io/request.hpp"
#include "nopal/detail/io/result.hpp"
#include "nopal/detail/task/task_waiter.hpp"
#include "nopal/io/limits.hpp"

namespace nopal::detail {

template <class R>
R perform(const io_call& c, const io::limits& l) {
  return io_result<R>(c, perform(c, l), nullptr);
}
template <class R>
// io_result() throws only without an error code.
// NOLINTNEXTLINE(bugprone-exception-escape)
R perform(const io_call& c, std::error_code& error, const io::limits& l) noexcept {
  return io_result<R>(c, perform(c, l), &error);
}

/// This awaiter lies in the task that awaits the call.
template <class R>
class io_awaiter {
 public:
  io_awaiter(task_promise& t, const io_call& c, const io::limits& l, std::error_code* e) noexcept
      : waiter_(t), request_(c, l), error_(e) {}

  bool await_ready() noexcept { return request_.prepare(); }
  bool await_suspend(std::coroutine_handle<>) noexcept {
    return waiter_.wait_for([r = &request_](waiter& w) noexcept { return r->begin(w); });
  }
  R await_resume() { return io_result<R>(request_.call, request_.conclude(), error_); }

 private:
  task_waiter waiter_;
  io_request request_;
  std::error_code* error_;
};

/// A call that a task awaits.
template <class R>
class io_expression {
 public:
  io_expression(const io_call& c, std::error_code* e, const io::limits& l) noexcept
      : call_(c), limits_(l), error_(e) {}

  [[nodiscard]] io_awaiter<R> awaiter_in(task_promise& t) const noexcept {
    return {t, call_, limits_, error_};
  }

 private:
  io_call call_;
  io::limits limits_;
  std::error_code* error_;
};

}  // namespace nopal::detail

#endif
