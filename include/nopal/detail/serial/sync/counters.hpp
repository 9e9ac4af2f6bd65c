// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>
#include <type_traits>
#include <utility>

#include "nopal/detail/serial/sync/made_call.hpp"

namespace nopal {
inline namespace serial {

class semaphore {
 public:
  explicit semaphore(std::ptrdiff_t n) noexcept : permits_(n) {}
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;

  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept {
    return std::numeric_limits<std::ptrdiff_t>::max();
  }

  auto acquire() { return acquire_within({}); }
  auto acquire(const limits& within) { return acquire_within({&within}); }
  auto acquire(std::error_code& error, const limits& within) {
    return acquire_within({&within, &error});
  }
  [[nodiscard]] bool try_acquire() noexcept {
    if (permits_ == 0) return false;
    --permits_;
    return true;
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(const std::chrono::duration<Rep, Period>& d) {
    std::error_code error;
    acquire(error, d);
    return !error;
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& t) {
    std::error_code error;
    acquire(error, t);
    return !error;
  }
  void release(std::ptrdiff_t k = 1) noexcept { permits_ += k; }

 private:
  serial_detail::made_call<void> acquire_within(const serial_detail::call_limits& l) {
    return serial_detail::made("nopal::semaphore: acquire", l, [this] { return try_acquire(); });
  }

  std::ptrdiff_t permits_;
};

class latch {
 public:
  explicit latch(std::ptrdiff_t n) noexcept : missing_(n) {}
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  void count_down(std::ptrdiff_t k = 1) noexcept { missing_ -= k; }
  [[nodiscard]] bool try_wait() const noexcept { return missing_ == 0; }
  auto wait() { return wait_within({}); }
  auto wait(const limits& within) { return wait_within({&within}); }
  auto wait(std::error_code& error, const limits& within) { return wait_within({&within, &error}); }
  auto arrive_and_wait(std::ptrdiff_t k = 1) {
    count_down(k);
    return wait();
  }
  auto arrive_and_wait(const limits& within) {
    count_down();
    return wait(within);
  }
  auto arrive_and_wait(std::error_code& error, const limits& within) {
    count_down();
    return wait(error, within);
  }

 private:
  serial_detail::made_call<void> wait_within(const serial_detail::call_limits& l) const {
    return serial_detail::made("nopal::latch: wait", l, [this] { return try_wait(); });
  }

  std::ptrdiff_t missing_;
};

class flag {
 public:
  flag() noexcept = default;
  flag(const flag&) = delete;
  flag& operator=(const flag&) = delete;

  void set() noexcept { is_set_ = true; }
  void reset() noexcept { is_set_ = false; }
  [[nodiscard]] bool is_set() const noexcept { return is_set_; }
  auto wait() { return wait_within({}); }
  auto wait(const limits& within) { return wait_within({&within}); }
  auto wait(std::error_code& error, const limits& within) { return wait_within({&within, &error}); }

 private:
  serial_detail::made_call<void> wait_within(const serial_detail::call_limits& l) const {
    return serial_detail::made("nopal::flag: wait", l, [this] { return is_set_; });
  }

  bool is_set_ = false;
};

namespace serial_detail {

struct no_phase_function {
  void operator()() const noexcept {}
};

}  // namespace serial_detail

template <class F = serial_detail::no_phase_function>
class barrier {
  static_assert(std::is_nothrow_invocable_v<F&>,
                "nopal::barrier: the function of the phases has to be noexcept");

 public:
  class arrival_token {
   public:
    arrival_token(arrival_token&&) noexcept = default;
    arrival_token& operator=(arrival_token&&) noexcept = default;

   private:
    friend barrier;
    explicit arrival_token(std::uint64_t p) noexcept : phase_(p) {}
    std::uint64_t phase_;
  };

  explicit barrier(std::ptrdiff_t n, F on_phase = F())
      : expected_(n), missing_(n), on_phase_(std::move(on_phase)) {}
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  auto arrive_and_wait() { return wait(arrive()); }
  auto arrive_and_wait(const limits& within) { return wait(arrive(), within); }
  auto arrive_and_wait(std::error_code& error, const limits& within) {
    return wait(arrive(), error, within);
  }
  [[nodiscard]] arrival_token arrive(std::ptrdiff_t k = 1) noexcept {
    const std::uint64_t phase = phase_;
    missing_ -= k;
    if (missing_ == 0) {
      on_phase_();
      missing_ = expected_;
      ++phase_;
    }
    return arrival_token(phase);
  }
  auto wait(arrival_token&& t) { return wait_within(t, {}); }
  auto wait(const arrival_token& t, const limits& within) { return wait_within(t, {&within}); }
  auto wait(const arrival_token& t, std::error_code& error, const limits& within) {
    return wait_within(t, {&within, &error});
  }
  [[nodiscard]] bool try_wait(const arrival_token& t) const noexcept { return phase_ != t.phase_; }
  void arrive_and_drop() noexcept {
    --expected_;
    static_cast<void>(arrive());
  }

 private:
  serial_detail::made_call<void> wait_within(const arrival_token& t,
                                             const serial_detail::call_limits& l) const {
    return serial_detail::made("nopal::barrier: wait", l, [&] { return try_wait(t); });
  }

  std::ptrdiff_t expected_;
  std::ptrdiff_t missing_;
  std::uint64_t phase_ = 0;
  [[no_unique_address]] F on_phase_;
};

}  // namespace serial
}  // namespace nopal
