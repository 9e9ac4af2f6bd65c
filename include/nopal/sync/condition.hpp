// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/sync.hpp"
#else

#include <atomic>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <system_error>
#include <type_traits>

#include "nopal/detail/sync/awaited_word.hpp"
#include "nopal/detail/sync/condition_call.hpp"
#include "nopal/sync/mutex.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal {

/// A condition that strands, tasks and threads wait for while they hold a nopal::mutex. It is to
/// that what std::condition_variable is to std::mutex. docs/sync.md has the protocol and its
/// argument.
/// \code
/// nopal::mutex m;
/// nopal::condition changed;
/// int value = 0;
/// nopal::parallel_invoke(
///     [&] {
///       std::unique_lock held(m);
///       changed.wait(held, [&] { return value == 1; });
///     },
///     [&] {
///       const std::lock_guard held(m);
///       value = 1;
///       changed.notify_all();
///     });
/// \endcode
///
/// Each wait unlocks the mutex, and has locked it again when it returns or throws. No limit ends
/// that lock. Nobody wakes without a notification or a limit; but another may have locked the mutex
/// before, so that what was notified need not hold any more.
/// Fairness: of those that wait, the one that has waited longest is notified first.
/// Thread-safety: any strand, task or thread may call any member at any time. The condition may be
/// destroyed when all have been notified that wait without limits, and the others have returned.
/// Complexity: notify_one() and notify_all() are one atomic load if nobody waits.
class condition {
 public:
  condition() noexcept : state_(0) {}
  condition(const condition&) = delete;
  condition& operator=(const condition&) = delete;

  /// Lets the one go on that has waited longest. What is waited for is changed under the mutex; it
  /// need not be held here.
  void notify_one() noexcept {
    if (is_awaited()) notify_slowly(false);
  }
  /// Lets all go on that wait.
  void notify_all() noexcept {
    if (is_awaited()) notify_slowly(true);
  }

  /// Waits for a notification. A task writes `co_await c.wait(held)`, here and below.
  /// \throws nopal::stopped if it would have to wait, and a stop comes to the caller's scope.
  auto wait(std::unique_lock<mutex>& held) noexcept {
    return call<detail::no_limits>({}, *this, held, always_);
  }
  /// Waits for a notification, unless a limit ends the wait.
  /// \throws std::system_error if a limit does, nopal::stopped if it is a stop.
  auto wait(std::unique_lock<mutex>& held, const limits& within) {
    return call<detail::call_limits>({within, nullptr}, *this, held, always_);
  }
  /// Does the same without an exception.
  auto wait(std::unique_lock<mutex>& held, std::error_code& error, const limits& within) {
    return call<detail::call_limits>({within, &error}, *this, held, always_);
  }

  /// Waits until the predicate holds, which is called while the mutex is locked.
  /// \throws what `p` throws; nopal::stopped if it would have to wait, and a stop comes to the
  /// caller's scope.
  template <std::predicate P>
  auto wait(std::unique_lock<mutex>& held, P&& p) {
    return call<detail::no_limits, P>({}, *this, held, p);
  }
  /// Does the same, unless a limit ends the wait. If the predicate holds then, no limit counts.
  /// \throws what `p` throws; std::system_error if a limit ends the wait, nopal::stopped if it is a
  /// stop.
  template <std::predicate P>
  auto wait(std::unique_lock<mutex>& held, P&& p, const limits& within) {
    return call<detail::call_limits, P>({within, nullptr}, *this, held, p);
  }
  /// Does the same without an exception for the limit. The predicate holds if there is no error.
  template <std::predicate P>
  auto wait(std::unique_lock<mutex>& held, P&& p, std::error_code& error, const limits& within) {
    return call<detail::call_limits, P>({within, &error}, *this, held, p);
  }

  /// Waits for a notification or the deadline, as std::condition_variable does.
  template <class Clock, class Duration>
  std::cv_status wait_until(std::unique_lock<mutex>& held,
                            const std::chrono::time_point<Clock, Duration>& t) {
    std::error_code error;
    wait(held, error, t);
    return error ? std::cv_status::timeout : std::cv_status::no_timeout;
  }
  template <class Rep, class Period>
  std::cv_status wait_for(std::unique_lock<mutex>& held,
                          const std::chrono::duration<Rep, Period>& d) {
    std::error_code error;
    wait(held, error, d);
    return error ? std::cv_status::timeout : std::cv_status::no_timeout;
  }
  /// Waits until the predicate holds or the deadline comes. Returns whether it holds.
  template <class Clock, class Duration, std::predicate P>
  bool wait_until(std::unique_lock<mutex>& held, const std::chrono::time_point<Clock, Duration>& t,
                  P&& p) {
    std::error_code error;
    wait(held, p, error, t);
    return !error;
  }
  template <class Rep, class Period, std::predicate P>
  bool wait_for(std::unique_lock<mutex>& held, const std::chrono::duration<Rep, Period>& d, P&& p) {
    std::error_code error;
    wait(held, p, error, d);
    return !error;
  }

 private:
  friend detail::condition_operation;
  template <class Limits, class Predicate = detail::no_predicate>
  using call = detail::condition_call<std::remove_reference_t<Predicate>, Limits>;

  [[nodiscard]] bool is_awaited() const noexcept {
    // Whoever waits was listed before it unlocked the mutex, and whoever notifies has locked it.
    return state_.word.load(std::memory_order_relaxed) != 0;
  }
  void notify_slowly(bool all) noexcept;

  static inline detail::no_predicate always_;
  detail::awaited_word<std::uint32_t> state_;  ///< Only the lowest bit of the word is used.
};

}  // namespace nopal

#endif
