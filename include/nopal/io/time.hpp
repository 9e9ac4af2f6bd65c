// SPDX-License-Identifier: Apache-2.0
// Sleeping.
#pragma once

#include <chrono>
#include <system_error>

#include "nopal/detail/io/perform.hpp"
#include "nopal/detail/wait/moment.hpp"
#include "nopal/io/limits.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {
#endif
namespace io {

// Forms, errors and limits are those of files.hpp.

/// Returns when `moment` has come.
inline void sleep_until(std::chrono::steady_clock::time_point moment, const limits& within = {}) {
  return detail::perform<void>(detail::io_call::sleep(moment), within);
}
inline void sleep_until(std::chrono::steady_clock::time_point moment, std::error_code& error,
                        const limits& within = {}) noexcept {
  return detail::perform<void>(detail::io_call::sleep(moment), error, within);
}
[[nodiscard]] inline detail::io_expression<void> async_sleep_until(
    std::chrono::steady_clock::time_point moment, const limits& within = {}) {
  return {detail::io_call::sleep(moment), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<void> async_sleep_until(
    std::chrono::steady_clock::time_point moment, std::error_code& error,
    const limits& within = {}) {
  return {detail::io_call::sleep(moment), &error, within};
}

/// Returns when `time` has passed; at once if it is not positive.
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& time, const limits& within = {}) {
  return detail::perform<void>(detail::io_call::sleep(detail::from_now(time)), within);
}
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& time, std::error_code& error,
               const limits& within = {}) noexcept {
  return detail::perform<void>(detail::io_call::sleep(detail::from_now(time)), error, within);
}
template <class Rep, class Period>
[[nodiscard]] detail::io_expression<void> async_sleep_for(
    const std::chrono::duration<Rep, Period>& time, const limits& within = {}) {
  return {detail::io_call::sleep(detail::from_now(time)), nullptr, within};
}
template <class Rep, class Period>
[[nodiscard]] detail::io_expression<void> async_sleep_for(
    const std::chrono::duration<Rep, Period>& time, std::error_code& error,
    const limits& within = {}) {
  return {detail::io_call::sleep(detail::from_now(time)), &error, within};
}

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal

#include "nopal/detail/io/refused_time.hpp"  // last: it looks at what stands above
