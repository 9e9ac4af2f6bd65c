// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stop_token>
#include <utility>

#include "nopal/detail/wait/moment.hpp"
#include "nopal/wait/stopped.hpp"  // calls with limits throw it

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // as in options.hpp
#endif

/// Says how long something may wait. It is the last argument of each call that waits. A stop token,
/// a duration and a moment of any clock convert to it.
/// \code
/// std::stop_source source;
/// std::error_code error;
/// const auto soon = std::chrono::milliseconds(1);
/// nopal::io::sleep_for(std::chrono::hours(1), error, {source.get_token(), soon});
/// const bool too_late = error == std::errc::timed_out;
/// nopal::io::sleep_for(std::chrono::hours(1), error, soon);
/// \endcode
///
/// A call that has begun to do its work is not broken off: it ends first, and its result counts.
/// So a call that fails because of a limit has changed nothing.
/// Thread-safety: that of its members; a stop may be requested by any thread.
struct limits {
  using moment = std::chrono::steady_clock::time_point;

  limits() noexcept = default;
  limits(std::stop_token s) noexcept : stop(std::move(s)) {}
  limits(moment d) noexcept : deadline(d) {}
  limits(std::stop_token s, moment d) noexcept : stop(std::move(s)), deadline(d) {}
  /// A duration counts from now on. What is longer than the clock can count has no end.
  template <class Rep, class Period>
  limits(const std::chrono::duration<Rep, Period>& d) : deadline(detail::from_now(d)) {}
  template <class Rep, class Period>
  limits(std::stop_token s, const std::chrono::duration<Rep, Period>& d)
      : stop(std::move(s)), deadline(detail::from_now(d)) {}
  /// A moment of another clock counts as the duration until it, as that clock says now.
  template <class Clock, class Duration>
  limits(const std::chrono::time_point<Clock, Duration>& d) : deadline(detail::moment_of(d)) {}
  template <class Clock, class Duration>
  limits(std::stop_token s, const std::chrono::time_point<Clock, Duration>& d)
      : stop(std::move(s)), deadline(detail::moment_of(d)) {}

  /// Once a stop is requested the call fails with std::errc::operation_canceled.
  std::stop_token stop;
  /// A call that would have to wait after this moment fails with std::errc::timed_out. One that
  /// need not wait is made even if the deadline has passed, if that is known.
  moment deadline = moment::max();
};

#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
