// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace nopal::detail {

/// Returns the moment that is `time` from now, or the last one that there is if that is later.
template <class Rep, class Period>
std::chrono::steady_clock::time_point from_now(const std::chrono::duration<Rep, Period>& time) {
  using moment = std::chrono::steady_clock::time_point;
  using seconds = std::chrono::duration<long double>;
  const moment now = std::chrono::steady_clock::now();
  if (seconds(time) >= seconds(moment::max() - now)) return moment::max();
  if (!(time > time.zero())) return now;  // nor is what is no number
  return now + std::chrono::ceil<moment::duration>(time);
}

/// Returns the moment of the steady clock that a moment of another clock is, as both stand now.
template <class Clock, class Duration>
std::chrono::steady_clock::time_point moment_of(
    const std::chrono::time_point<Clock, Duration>& at) {
  using seconds = std::chrono::duration<long double>;
  if (at == std::chrono::time_point<Clock, Duration>::max())
    return std::chrono::steady_clock::time_point::max();
  return from_now(seconds(at.time_since_epoch()) - seconds(Clock::now().time_since_epoch()));
}

}  // namespace nopal::detail
