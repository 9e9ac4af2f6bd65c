// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/pending.hpp"
#else

#include <memory>
#include <system_error>
#include <utility>

#include "nopal/async/countdown.hpp"
#include "nopal/detail/async/outcome.hpp"
#include "nopal/detail/async/pending_operation.hpp"
#include "nopal/detail/async/promised_result.hpp"
#include "nopal/detail/wait/wait_call.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal {

class task_scope;

/// The result of a function that task_scope::async() has spawned.
/// \code
/// nopal::task<int> twice(nopal::pending<int>& p) { co_return 2 * co_await p; }
///
/// std::optional<int> soon(nopal::pending<int>& p) {
///   std::error_code error;
///   p.wait(error, std::chrono::milliseconds(10));
///   return error ? std::nullopt : std::optional(p.get());
/// }
/// \endcode
///
/// A pending may be dropped before its result is there. When the result has been taken, or the
/// pending has been moved from, it has no result: then it may be destroyed, assigned to, and asked
/// by valid().
/// Thread-safety: one strand, task or thread at a time uses it.
template <class T>
class pending {
 public:
  /// Takes the result, or the exception, of the function. If the function has not ended, the
  /// calling strand is suspended until then; a thread that is no worker sleeps. It may be called
  /// once.
  /// \throws what the function has thrown; std::logic_error if there is no result to take any more;
  /// nopal::stopped if it would have to wait, and a stop comes to the caller's scope: the result is
  /// still to come then.
  NOPAL_NOINLINE T get() {  // because of what it throws: see held_exception.hpp
    detail::wait_call<detail::get_operation<T>> call({}, *this, is_set_or_null());
    // If there is nothing to return, the end of `call` makes it.
    if constexpr (!std::is_void_v<T>) return static_cast<T>(std::move(call));
  }
  /// Does what get() does, unless a limit ends the wait. The result is then still to come, and to
  /// be taken. It returns a call that is made where its value is used; a task writes `co_await
  /// p.get(within)`.
  /// \throws also std::system_error if a limit ends the wait, nopal::stopped if it is a stop.
  auto get(const limits& within) {
    return detail::wait_call<detail::get_operation<T>, detail::call_limits>(
        {within, nullptr}, *this, is_set_or_null());
  }
  /// Waits until get() returns at once. A task writes `co_await p.wait()`.
  /// \throws std::logic_error if there is no result to take any more; nopal::stopped if it would
  /// have to wait, and a stop comes to the caller's scope.
  auto wait() { return detail::wait_call<ready_operation>({}, *this, is_set_or_null()); }
  /// Does the same unless a limit ends the wait.
  /// \throws also std::system_error if a limit does, nopal::stopped if it is a stop.
  auto wait(const limits& within) {
    return detail::wait_call<ready_operation, detail::call_limits>({within, nullptr}, *this,
                                                                   is_set_or_null());
  }
  /// Does the same without an exception for a limit. The result is there if there is no error.
  auto wait(std::error_code& error, const limits& within) {
    return detail::wait_call<ready_operation, detail::call_limits>({within, &error}, *this,
                                                                   is_set_or_null());
  }
  /// Whether get() returns at once.
  /// \throws std::logic_error if there is no result to take any more.
  [[nodiscard]] bool ready() const { return is_set().done(); }
  /// Whether the result, which may not be there yet, is still to be taken from this object.
  [[nodiscard]] bool valid() const noexcept { return result_ != nullptr; }

  /// A co_await in a task calls this. It does what get() does, and the task is suspended meanwhile.
  template <class Task>
  [[nodiscard]] detail::wait_awaiter<detail::get_operation<T>, detail::no_limits, Task> awaiter_in(
      Task& t) noexcept {
    return detail::wait_call<detail::get_operation<T>>({}, *this, is_set_or_null()).awaiter_in(t);
  }

 private:
  friend task_scope;
  friend detail::get_operation<T>;
  using ready_operation = detail::ready_operation<T>;

  explicit pending(std::shared_ptr<detail::promised_result<T>> r) noexcept
      : result_(std::move(r)) {}

  static std::pair<std::shared_ptr<detail::promised_result<T>>, pending> make() {
    // std::make_shared() uses a tag because of which the C library never unloads a plugin that g++
    // has compiled.
    const std::shared_ptr<detail::promised_result<T>> r(new detail::promised_result<T>);
    return {r, pending(r)};
  }

  [[nodiscard]] countdown& is_set() const {
    if (result_ == nullptr) [[unlikely]]
      detail::no_result_to_get();
    return result_->is_set();
  }

  [[nodiscard]] countdown* is_set_or_null() const noexcept {
    return result_ != nullptr ? &result_->is_set() : nullptr;
  }

  NOPAL_NOINLINE T take() {  // as get()
    return std::exchange(result_, nullptr)->take();
  }

  std::shared_ptr<detail::promised_result<T>> result_;
};

}  // namespace nopal

#endif
