// SPDX-License-Identifier: Apache-2.0
// A call on a helper thread that cannot be broken off, but that its caller may leave: the thread
// goes on with it alone, and frees what it has used.
#pragma once

#include <cerrno>
#include <memory>
#include <new>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

#include "nopal/io/limits.hpp"
#include "nopal/sync/flag.hpp"
#include "nopal/task.hpp"
#include "nopal/wait/stopped.hpp"
#ifndef NOPAL_SERIAL
#include "nopal/detail/io/request.hpp"
#include "nopal/detail/sync/list_operation.hpp"
#include "nopal/detail/wait/wait_call.hpp"
#endif

namespace nopal::detail {

/// \throws std::system_error with this error.
/// \param call  names the call and its arguments.
[[noreturn]] inline void throw_io_error(const std::string& call, const std::error_code& error) {
  const std::string what = "nopal::io: " + call;
  if (error == std::errc::operation_canceled)
    throw stopped((what + " ended by a requested stop").c_str());
  throw std::system_error(error, what);
}

#ifdef NOPAL_SERIAL
inline namespace serial_io {

/// Returns f(error), and so do the others below. A call is made whatever its deadline.
template <class F>
auto call_on_helper(F f, std::error_code& error, const io::limits& within) {
  using result = std::invoke_result_t<F&, std::error_code&>;
  error.clear();
  if (!within.stop.stop_requested()) return f(error);
  error.assign(ECANCELED, std::system_category());
  return result();
}
template <class F>
task<std::invoke_result_t<F&, std::error_code&>> async_call_on_helper(F f, std::error_code& error,
                                                                      io::limits within) {
  co_return call_on_helper(std::move(f), error, within);
}
template <class F>
auto call_unbroken(F f, std::error_code& error) {
  return call_on_helper(std::move(f), error, {});
}
template <class F>
task<std::invoke_result_t<F&, std::error_code&>> async_call_unbroken(F f, std::error_code& error) {
  co_return call_unbroken(std::move(f), error);
}

}  // namespace serial_io
#else

/// Waits for a flag, and no stop of the scope ends that.
struct unbroken_wait : list_operation<object_event<flag>> {
  static constexpr bool is_interruptible = false;
  using list_operation::list_operation;
};

/// What a helper thread does, and its caller waits for. Both share it.
class shared_job : io_job {
 public:
  shared_job(const shared_job&) = delete;
  shared_job& operator=(const shared_job&) = delete;
  virtual ~shared_job() = default;

  /// Has a helper thread run the job. If there is none, the job is done at once, and has failed.
  static void begin(std::shared_ptr<shared_job> job) noexcept;

  /// Waits until the job is done. A task awaits it.
  auto wait() noexcept { return wait_call<unbroken_wait>({}, &is_done); }

  flag is_done;
  std::error_code error;

 protected:
  shared_job() noexcept : io_job(run_job) {}

 private:
  static void run_job(io_job& job) noexcept;
  virtual void work() noexcept = 0;

  std::shared_ptr<shared_job> kept_;  ///< This object, for the helper thread.
};

/// Calls a function of type F, `f(error)`.
template <class F>
class helper_call final : public shared_job {
 public:
  using result = std::invoke_result_t<F&, std::error_code&>;

  explicit helper_call(F f) : f_(std::move(f)) {}

  /// Returns what the function has. Precondition: the job is done, or `e` says why nobody waits.
  result end(std::error_code& e) {
    if (e) {
      e.assign(e.value(), std::system_category());
      return result();
    }
    e = error;
    return std::move(result_);
  }

 private:
  void work() noexcept override {
    try {
      result_ = f_(error);
    } catch (const std::bad_alloc&) {
      error.assign(ENOMEM, std::system_category());
    }
  }

  F f_;
  result result_{};
};

/// Returns f(error), from a helper thread, unless a limit or a stop of the scope ends the wait:
/// then it returns nothing, and `error` says which. A thread that is no worker calls f itself,
/// unless the wait may be ended.
/// \param f  it owns all that it uses, since it may outlive the call.
template <class F>
auto call_on_helper(F f, std::error_code& error, const io::limits& within) {
  error.clear();
  if (is_call_of_thread(within)) return f(error);
  const auto call = std::make_shared<helper_call<F>>(std::move(f));
  if (!within.stop.stop_requested()) shared_job::begin(call);
  call->is_done.wait(error, within);
  return call->end(error);
}

/// Does the same for a task.
template <class F>
task<std::invoke_result_t<F&, std::error_code&>> async_call_on_helper(F f, std::error_code& error,
                                                                      io::limits within) {
  error.clear();
  const auto call = std::make_shared<helper_call<F>>(std::move(f));
  if (!within.stop.stop_requested()) shared_job::begin(call);
  co_await call->is_done.wait(error, within);
  co_return call->end(error);
}

/// Returns f(error), from a helper thread if the caller is a worker. No stop of the scope ends the
/// wait.
template <class F>
auto call_unbroken(F f, std::error_code& error) {
  error.clear();
  if (!is_on_worker()) return f(error);
  const auto call = std::make_shared<helper_call<F>>(std::move(f));
  shared_job::begin(call);
  call->wait();
  return call->end(error);
}

/// Does the same for a task.
template <class F>
task<std::invoke_result_t<F&, std::error_code&>> async_call_unbroken(F f, std::error_code& error) {
  error.clear();
  const auto call = std::make_shared<helper_call<F>>(std::move(f));
  shared_job::begin(call);
  co_await call->wait();
  co_return call->end(error);
}

#endif

}  // namespace nopal::detail
