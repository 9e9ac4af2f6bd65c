// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "nopal/detail/wait/brief_lock.hpp"
#include "nopal/detail/wait/timer.hpp"

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
  /// into `due`, with the slot `mark`.
  void advance(std::uint64_t now, intrusive_list& due, std::uint16_t mark) noexcept;

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
/// Thread-safety: any thread may call add(), cancel() and remove(); nobody adds a timer while
/// another adds it or removes it.
class timers {
 public:
  /// \throws std::bad_alloc, or std::system_error if no thread can be started.
  static timers& of_this_process();

  timers() noexcept;

  /// Has t.expire() called at that moment or up to a tick later. Precondition: `t` is not in.
  void add(timer& t, std::chrono::steady_clock::time_point at) noexcept;
  /// Takes `t` out, if it is in. t.expire() may be running when this returns.
  void cancel(timer& t) noexcept;
  /// Does the same, and waits until t.expire() has returned, if that is running. Then nobody
  /// touches `t` any more. The caller has no lock that t.expire() needs.
  void remove(timer& t) noexcept;

 private:
  static void end_newest(bool process_ends) noexcept;
  int start() noexcept;
  void end(bool process_ends) noexcept;
  void take_out(timer& t) noexcept;
  void sleep_and_expire() noexcept;
  void expire_one(timer& t) noexcept;

  static constexpr std::uint16_t is_due = 0xffff;  ///< The slot of a timer in `due_`.

  brief_lock lock_;  ///< It guards all that is not atomic.
  timer_wheel wheel_;
  intrusive_list due_;                   ///< Timers that are to expire now.
  timer* expiring_ = nullptr;            ///< The one whose function runs.
  bool end_is_awaited_ = false;          ///< Somebody waits until it has returned.
  std::uint64_t sleeps_until_ = 0;       ///< The thread looks again by itself at this tick.
  std::atomic<std::uint32_t> wakes_{0};  ///< A futex: it changes when the thread is to look again.
  std::atomic<std::uint32_t> expired_{0};  ///< A futex, for those that wait for a function's end.
  std::atomic<bool> ends_{false};
  pthread_t thread_{};

  const unsigned generation_;
  timers* before_ = nullptr;  ///< The parent's.
};

}  // namespace nopal::detail
