// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "nopal/detail/wait/brief_lock.hpp"
#include "nopal/detail/wait/limited_wait.hpp"

namespace nopal::detail {

/// Timers in a wheel of wheels, by the tick at which they are due. Nothing here has a lock or knows
/// the time.
///
/// A wheel has 64 slots, each 64 times as long as one of the wheel below; the lowest has one tick a
/// slot. A timer lies in the lowest wheel in which its slot is not the one of now. When the time
/// comes to a slot, its timers go to lower wheels, and those of the lowest wheel are due.
/// Complexity: add() and remove() take a constant time; a timer changes its wheel at most 8 times.
class timer_wheel {
 public:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  /// \param now  the tick that it is.
  explicit timer_wheel(std::uint64_t now) noexcept : now_(now) {}

  /// Adds `t`, whose `due` is set. One that is due already expires by the next tick.
  void add(timer& t) noexcept;
  void remove(timer& t) noexcept;
  /// Returns the tick at which advance() has something to do next, or `never`.
  [[nodiscard]] std::uint64_t next() const noexcept;
  /// Brings the time to `now`, unless advance() has something to do by then.
  void catch_up(std::uint64_t now) noexcept {
    if (now > now_ && now < next()) now_ = now;
  }
  /// Brings the time to `now`, if it is not there yet, and puts the timers that are due by then
  /// into `due`.
  void advance(std::uint64_t now, intrusive_list& due) noexcept;

 private:
  static constexpr unsigned bits = 6;  ///< 64 slots
  static constexpr unsigned wheels = 9;

  struct wheel {
    std::uint64_t occupied = 0;  ///< A bit for each slot.
    std::array<intrusive_list, 1U << bits> slots;
  };

  std::uint64_t now_;
  std::array<wheel, wheels> wheels_;
};

/// The timers of this process, and the one thread that sleeps until the next is due. Neither exists
/// before the first timed wait.
///
/// Thread-safety: any thread may call add() and remove().
class timers {
 public:
  /// \throws std::bad_alloc, or std::system_error if no thread can be started.
  static timers& of_this_process();

  timers() noexcept;

  /// Has `t` decide `d` for `number` at that moment or up to a tick later.
  void add(timer& t, decision& d, unsigned number,
           std::chrono::steady_clock::time_point at) noexcept;
  /// Takes `t` out, if it is still in. Afterwards nobody touches it, or its decision.
  /// Precondition: the decision is over.
  void remove(timer& t) noexcept;

 private:
  static void end_newest(bool process_ends) noexcept;
  int start() noexcept;
  void end(bool process_ends) noexcept;
  void sleep_and_expire() noexcept;

  brief_lock lock_;
  timer_wheel wheel_;
  std::uint64_t sleeps_until_ = 0;       ///< The thread looks again by itself at this tick.
  std::atomic<std::uint32_t> wakes_{0};  ///< A futex: it changes when the thread is to look again.
  std::atomic<bool> ends_{false};
  pthread_t thread_{};

  const unsigned generation_;
  timers* before_ = nullptr;  ///< The parent's.
};

}  // namespace nopal::detail
