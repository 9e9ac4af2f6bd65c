// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <system_error>
#include <utility>

#include "nopal/detail/serial/sync/made_call.hpp"

namespace nopal {
inline namespace serial {

class mutex {
 public:
  static constexpr unsigned most_overtakes = 64;

  mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  auto lock() { return lock_within({}); }
  auto lock(const limits& within) { return lock_within({&within}); }
  auto lock(std::error_code& error, const limits& within) { return lock_within({&within, &error}); }
  [[nodiscard]] bool try_lock() noexcept { return !std::exchange(is_locked_, true); }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& d) {
    std::error_code error;
    lock(error, d);
    return !error;
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& t) {
    std::error_code error;
    lock(error, t);
    return !error;
  }
  void unlock() noexcept { is_locked_ = false; }

 private:
  serial_detail::made_call<void> lock_within(const serial_detail::call_limits& l) {
    return serial_detail::made("nopal::mutex: lock", l, [this] { return try_lock(); });
  }

  bool is_locked_ = false;
};

class shared_mutex {
 public:
  shared_mutex() noexcept = default;
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  auto lock() { return lock_within({}); }
  auto lock(const limits& within) { return lock_within({&within}); }
  auto lock(std::error_code& error, const limits& within) { return lock_within({&within, &error}); }
  [[nodiscard]] bool try_lock() noexcept {
    if (is_written_ || readers_ != 0) return false;
    is_written_ = true;
    return true;
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& d) {
    std::error_code error;
    lock(error, d);
    return !error;
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& t) {
    std::error_code error;
    lock(error, t);
    return !error;
  }
  void unlock() noexcept { is_written_ = false; }

  auto lock_shared() { return share_within({}); }
  auto lock_shared(const limits& within) { return share_within({&within}); }
  auto lock_shared(std::error_code& error, const limits& within) {
    return share_within({&within, &error});
  }
  [[nodiscard]] bool try_lock_shared() noexcept {
    if (!is_written_) ++readers_;
    return !is_written_;
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& d) {
    std::error_code error;
    lock_shared(error, d);
    return !error;
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& t) {
    std::error_code error;
    lock_shared(error, t);
    return !error;
  }
  void unlock_shared() noexcept { --readers_; }

 private:
  serial_detail::made_call<void> lock_within(const serial_detail::call_limits& l) {
    return serial_detail::made("nopal::shared_mutex: lock", l, [this] { return try_lock(); });
  }
  serial_detail::made_call<void> share_within(const serial_detail::call_limits& l) {
    return serial_detail::made("nopal::shared_mutex: lock_shared", l,
                               [this] { return try_lock_shared(); });
  }

  bool is_written_ = false;
  unsigned readers_ = 0;
};

}  // namespace serial
}  // namespace nopal
