// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "nopal/detail/serial/task_promise.hpp"
#include "nopal/wait/limits.hpp"
#include "nopal/wait/stopped.hpp"

namespace nopal {
inline namespace serial {
namespace serial_detail {

/// What a call that may wait returns: the call has been made. A task may await it.
template <class T>
class made_call {
 public:
  made_call(T v) noexcept : value_(std::move(v)) {}
  made_call(const made_call&) = delete;
  made_call& operator=(const made_call&) = delete;

  operator T() && { return std::move(value_); }
  [[nodiscard]] auto awaiter_in(task_promise&) const noexcept {
    struct awaiter : std::suspend_never {
      T& value;
      T await_resume() const noexcept { return std::move(value); }
    };
    return awaiter{{}, value_};
  }

 private:
  mutable T value_;
};

template <class T>
class made_call<T&> {
 public:
  made_call(T& v) noexcept : value_(&v) {}
  made_call(const made_call&) = delete;
  made_call& operator=(const made_call&) = delete;

  operator T&() && { return *value_; }
  [[nodiscard]] auto awaiter_in(task_promise&) const noexcept {
    struct awaiter : std::suspend_never {
      T* value;
      T& await_resume() const noexcept { return *value; }
    };
    return awaiter{{}, value_};
  }

 private:
  T* value_;
};

template <>
class made_call<void> {
 public:
  made_call() noexcept = default;
  made_call(const made_call&) = delete;
  made_call& operator=(const made_call&) = delete;

  [[nodiscard]] std::suspend_never awaiter_in(task_promise&) const noexcept { return {}; }
};

/// The limits of a call, and where its error goes: nullptr if it throws.
struct call_limits {
  const limits* within = nullptr;
  std::error_code* error = nullptr;

  [[nodiscard]] bool is_stopped() const noexcept {
    return within != nullptr && within->stop.stop_requested();
  }
  [[nodiscard]] bool has_deadline() const noexcept {
    return within != nullptr && within->deadline != limits::moment::max();
  }
};

/// Ends a call that would have to wait: at once if nothing ends the wait, or else at its deadline.
inline void fail(const char* name, const call_limits& l) {
  std::errc error = std::errc::operation_canceled;
  const char* why = " ended by a requested stop";
  if (!l.is_stopped() && l.has_deadline()) {
    std::this_thread::sleep_until(l.within->deadline);
    error = std::errc::timed_out;
    why = " ended by its deadline";
  } else if (!l.is_stopped()) {
    error = std::errc::resource_deadlock_would_occur;
    why =
        " waits, in the serial elision, for what comes later in the serial order, and so would "
        "wait for ever";
  }
  if (l.error != nullptr)
    *l.error = std::make_error_code(error);
  else if (error == std::errc::operation_canceled)
    throw stopped((std::string(name) + why).c_str());
  else
    throw std::system_error(std::make_error_code(error), std::string(name) + why);
}

/// Makes a call by take(), which returns whether that needs no wait. Returns whether it has made
/// it.
template <class Take>
bool make(const char* name, const call_limits& l, Take&& take) {
  if (l.error != nullptr) l.error->clear();
  if (!l.is_stopped() && take()) return true;
  fail(name, l);
  return false;
}
template <class Take>
made_call<void> made(const char* name, const call_limits& l, Take&& take) {
  make(name, l, take);
  return {};
}

}  // namespace serial_detail
}  // namespace serial
}  // namespace nopal
