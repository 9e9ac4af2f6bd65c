// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <concepts>
#include <condition_variable>
#include <mutex>
#include <system_error>

#include "nopal/detail/serial/sync/locks.hpp"
#include "nopal/detail/serial/sync/made_call.hpp"

namespace nopal {
inline namespace serial {

class condition {
 public:
  condition() noexcept = default;
  condition(const condition&) = delete;
  condition& operator=(const condition&) = delete;

  void notify_one() noexcept {}
  void notify_all() noexcept {}

  auto wait(std::unique_lock<mutex>&) { return wait_within(never, {}); }
  auto wait(std::unique_lock<mutex>&, const limits& within) {
    return wait_within(never, {&within});
  }
  auto wait(std::unique_lock<mutex>&, std::error_code& error, const limits& within) {
    return wait_within(never, {&within, &error});
  }
  template <std::predicate P>
  auto wait(std::unique_lock<mutex>&, P&& p) {
    return wait_within(p, {});
  }
  template <std::predicate P>
  auto wait(std::unique_lock<mutex>&, P&& p, const limits& within) {
    return wait_within(p, {&within});
  }
  template <std::predicate P>
  auto wait(std::unique_lock<mutex>&, P&& p, std::error_code& error, const limits& within) {
    return wait_within(p, {&within, &error});
  }
  template <class Clock, class Duration>
  std::cv_status wait_until(std::unique_lock<mutex>& held,
                            const std::chrono::time_point<Clock, Duration>& t) {
    std::error_code error;
    wait(held, error, t);
    return std::cv_status::timeout;
  }
  template <class Rep, class Period>
  std::cv_status wait_for(std::unique_lock<mutex>& held,
                          const std::chrono::duration<Rep, Period>& d) {
    std::error_code error;
    wait(held, error, d);
    return std::cv_status::timeout;
  }
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
  static bool never() noexcept { return false; }

  /// Nobody can change what the predicate says, apart from time.
  template <class P>
  serial_detail::made_call<void> wait_within(P& p, const serial_detail::call_limits& l) {
    if (l.error != nullptr) l.error->clear();
    if (static_cast<bool>(p())) return {};
    std::error_code limit;
    serial_detail::fail("nopal::condition: wait", {l.within, &limit});
    if (limit == std::errc::timed_out && static_cast<bool>(p())) return {};
    // The deadline has passed, if there is one, so this does not sleep any more.
    serial_detail::fail("nopal::condition: wait", l);
    return {};
  }
};

}  // namespace serial
}  // namespace nopal
