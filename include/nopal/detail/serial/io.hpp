// SPDX-License-Identifier: Apache-2.0
// Each call is the system's own. A deadline bounds the wait for a descriptor's events; a call that
// waits for something else is made whatever its deadline.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <system_error>
#include <type_traits>
#include <utility>

#include "nopal/detail/io/call.hpp"
#include "nopal/detail/io/checked_blocking.hpp"
#include "nopal/detail/io/plain_call.hpp"
#include "nopal/detail/io/result.hpp"
#include "nopal/detail/serial/task_promise.hpp"
#include "nopal/io/limits.hpp"

namespace nopal {
namespace detail {
inline namespace serial_io {

/// Returns the events that let the call go on, or 0 if none does.
inline int events_for(const io_call& c) noexcept {
  using enum io_operation;
  switch (c.operation) {
    case read:
    case readv:
    case accept:
    case recv:
    case recvmsg:
      return POLLIN;
    case write:
    case writev:
    case send:
    case sendmsg:
      return POLLOUT;
    case poll:
      return c.flags | POLLERR;  // POLLERR comes unasked; 0 would mean that nothing is waited for
    default:
      return 0;
  }
}

inline std::int64_t perform(io_call c, const io::limits& l) noexcept {
  using clock = std::chrono::steady_clock;
  if (l.stop.stop_requested()) return -ECANCELED;
  if (l.deadline == clock::time_point::max()) return plain_call(c);
  if (c.operation == io_operation::sleep) {
    const bool in_time = c.until <= l.deadline;
    c.until = std::min(c.until, l.deadline);
    return in_time ? plain_call(c) : (plain_call(c), -ETIMEDOUT);
  }
  const int events = events_for(c);
  int come = events == 0 ? 1 : 0;
  while (come == 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(l.deadline - clock::now());
    const auto patience = std::clamp<std::int64_t>(left.count(), 0, 1'000'000'000);
    come = poll_once(c.fd, events, static_cast<int>(patience));
    if (come < 0 && errno == EINTR) come = 0;
    if (come == 0 && clock::now() >= l.deadline) return -ETIMEDOUT;
  }
  return come < 0 ? -std::int64_t{errno} : plain_call(c);
}

template <class R>
R perform(const io_call& c, const io::limits& l) {
  return io_result<R>(c, perform(c, l), nullptr);
}
template <class R>
R perform(const io_call& c, std::error_code& error, const io::limits& l) noexcept {
  return io_result<R>(c, perform(c, l), &error);
}

template <class R>
class io_expression {
 public:
  io_expression(const io_call& c, std::error_code* e, const io::limits& l) noexcept
      : call_(c), limits_(l), error_(e) {}

  [[nodiscard]] auto awaiter_in(serial_detail::task_promise&) const noexcept {
    struct awaiter : std::suspend_never {
      const io_expression* what;
      R await_resume() const {
        return io_result<R>(what->call_, perform(what->call_, what->limits_), what->error_);
      }
    };
    return awaiter{{}, this};
  }

 private:
  io_call call_;
  io::limits limits_;
  std::error_code* error_;
};

}  // namespace serial_io
}  // namespace detail

inline namespace serial {
namespace serial_detail {

template <class F>
class blocking_expression {
 public:
  explicit blocking_expression(F f) : f_(std::move(f)) {}
  [[nodiscard]] auto awaiter_in(task_promise&) const noexcept {
    struct awaiter : std::suspend_never {
      F* f;
      decltype(auto) await_resume() const { return std::invoke(*f); }
    };
    return awaiter{{}, &f_};
  }

 private:
  mutable F f_;
};

}  // namespace serial_detail

template <class F>
decltype(auto) blocking(F&& f) {
  if constexpr (detail::check_blocking<std::remove_reference_t<F>>()) return std::invoke(f);
}

template <class F>
[[nodiscard]] auto async_blocking(F&& f) {
  if constexpr (detail::check_blocking<std::decay_t<F>>())
    return serial_detail::blocking_expression<std::decay_t<F>>(std::forward<F>(f));
  else
    return detail::refused_expression();
}

}  // namespace serial
}  // namespace nopal
