// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/sync.hpp"
#else

#include <atomic>
#include <chrono>
#include <cstdint>
#include <system_error>

#include "nopal/detail/sync/mutex_operation.hpp"
#include "nopal/detail/wait/brief_lock.hpp"
#include "nopal/detail/wait/wait_call.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal {

/// A mutex for strands, tasks and threads. Whoever waits for it is suspended, and its worker goes
/// on with other work. No thread and no worker owns it: it may be held across forks, joins and
/// waits, and unlocked on another thread than it was locked on. docs/sync.md has the protocol and
/// its argument.
/// \code
/// nopal::mutex m;
/// int sum = 0;
/// nopal::for_each(std::views::iota(0, 100), [&](int i) {
///   const std::lock_guard held(m);
///   nopal::parallel_invoke([&] { sum += i; }, [] {});
/// });
/// \endcode
///
/// It is a standard TimedLockable, so std::lock_guard, std::unique_lock, std::scoped_lock and
/// std::lock take it. A function that is forked while its caller holds the mutex, and locks it,
/// waits for ever if the caller unlocks behind the join, as the serial program would.
///
/// Fairness: those that wait lock in the order in which they came. Others that come later may lock
/// before the one that has waited longest, at most `most_overtakes` times. Then they wait behind
/// all that wait.
/// Thread-safety: any strand, task or thread may call any member at any time. The mutex may be
/// destroyed when nobody has it locked or waits for it.
/// Complexity: lock() and unlock() are one atomic instruction each if nobody else wants the mutex.
class mutex {
 public:
  /// How many times those that come later may lock before the one that has waited longest.
  static constexpr unsigned most_overtakes = 64;

  mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  /// Locks. A task writes `co_await m.lock()`. No stop ends this wait.
  auto lock() noexcept { return detail::wait_call<detail::mutex_operation>({}, *this); }
  /// Locks, unless a limit ends the wait.
  /// \throws std::system_error if a limit does, nopal::stopped if it is a stop.
  auto lock(const limits& within) {
    return detail::wait_call<detail::mutex_operation, detail::call_limits>({within, nullptr},
                                                                           *this);
  }
  /// Does the same without an exception. The mutex is locked if there is no error.
  auto lock(std::error_code& error, const limits& within) {
    return detail::wait_call<detail::mutex_operation, detail::call_limits>({within, &error}, *this);
  }
  /// Locks if that needs no wait. Returns whether it has.
  [[nodiscard]] bool try_lock() noexcept {
    std::uint32_t word = word_.load(std::memory_order_relaxed);
    // The acquire pairs with the releases in unlock() and unlock_slowly().
    if (word == 0 && word_.compare_exchange_strong(word, is_locked, std::memory_order_acquire,
                                                   std::memory_order_relaxed)) [[likely]]
      return true;
    return may_overtake(word) && try_lock_slowly();
  }
  /// Locks, unless the deadline ends the wait. Returns whether it has.
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

  /// Unlocks. Precondition: it is locked.
  void unlock() noexcept {
    std::uint32_t word = word_.load(std::memory_order_relaxed);
    // The release pairs with the acquires of whoever locks next.
    if (word != is_locked || !word_.compare_exchange_strong(word, 0, std::memory_order_release,
                                                            std::memory_order_relaxed)) [[unlikely]]
      unlock_slowly();
  }

 private:
  friend detail::mutex_operation;

  // The bits of the word. The rest counts how many have overtaken the one that has waited longest.
  static constexpr std::uint32_t is_locked = 1;
  static constexpr std::uint32_t is_awaited = 2;  ///< Somebody waits, or has been woken to lock.
  static constexpr std::uint32_t is_woken = 4;    ///< Somebody has been woken to lock.
  static constexpr std::uint32_t one_overtake = 8;

  static constexpr bool may_overtake(std::uint32_t word) noexcept {
    return (word & is_locked) == 0 && word / one_overtake < most_overtakes;
  }
  bool try_lock_slowly() noexcept;
  void unlock_slowly() noexcept;

  std::atomic<std::uint32_t> word_{0};
  detail::brief_lock list_lock_;
  detail::offer_list waiting_;
};

inline bool detail::mutex_operation::take() noexcept { return mutex_->try_lock(); }

}  // namespace nopal

#endif
