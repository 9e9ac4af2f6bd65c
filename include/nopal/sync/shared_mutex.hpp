// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/sync.hpp"
#else

#include <atomic>
#include <chrono>
#include <cstdint>
#include <shared_mutex>  // std::shared_lock, for whoever locks
#include <system_error>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/sync/awaited_word.hpp"
#include "nopal/detail/sync/shared_mutex_operation.hpp"
#include "nopal/detail/wait/wait_call.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal {

/// A mutex that one writer or any number of readers hold, for strands, tasks and threads. Like a
/// nopal::mutex it may be held across forks, joins and waits. docs/sync.md has the protocol and its
/// argument.
/// \code
/// nopal::shared_mutex m;
/// std::vector<int> values;
/// nopal::parallel_invoke(
///     [&] {
///       const std::lock_guard writes(m);
///       values.push_back(1);
///     },
///     [&] {
///       const std::shared_lock reads(m);
///       std::printf("%zu\n", values.size());
///     });
/// \endcode
///
/// It is a standard SharedTimedLockable, so std::shared_lock takes it. Whoever locks it twice waits
/// for ever, also if both are shared and a writer comes between.
/// Fairness: first come, first served. While somebody waits, nobody that comes later locks; readers
/// that wait one behind the other lock together. So neither starves.
/// Thread-safety: any strand, task or thread may call any member at any time. The mutex may be
/// destroyed when nobody has it locked or waits for it.
/// Complexity: each lock and unlock is one atomic instruction if nobody waits.
class shared_mutex {
 public:
  shared_mutex() noexcept : state_(0) {}
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  /// Locks for a writer. A task writes `co_await m.lock()`. No stop ends this wait.
  auto lock() noexcept { return exclusive<detail::no_limits>({}, *this); }
  /// Locks for a writer, unless a limit ends the wait.
  /// \throws std::system_error if a limit does, nopal::stopped if it is a stop.
  auto lock(const limits& within) {
    return exclusive<detail::call_limits>({within, nullptr}, *this);
  }
  /// Does the same without an exception. The mutex is locked if there is no error.
  auto lock(std::error_code& error, const limits& within) {
    return exclusive<detail::call_limits>({within, &error}, *this);
  }
  /// Locks for a writer if that needs no wait. Returns whether it has.
  [[nodiscard]] bool try_lock() noexcept {
    std::uint32_t seen = 0;
    // The acquire pairs with the releases of whoever has unlocked.
    return state_.word.compare_exchange_strong(seen, is_written, std::memory_order_acquire,
                                               std::memory_order_relaxed);
  }
  /// Locks for a writer, unless the deadline ends the wait. Returns whether it has.
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
  /// Unlocks. Precondition: a writer has locked it.
  void unlock() noexcept {
    std::uint32_t seen = is_written;
    // The release pairs with the acquires of whoever locks next.
    if (!state_.word.compare_exchange_strong(seen, 0, std::memory_order_release,
                                             std::memory_order_relaxed)) [[unlikely]]
      unlock_slowly(is_written);
  }

  /// These do the same for a reader.
  auto lock_shared() noexcept { return shared<detail::no_limits>({}, *this); }
  auto lock_shared(const limits& within) {
    return shared<detail::call_limits>({within, nullptr}, *this);
  }
  auto lock_shared(std::error_code& error, const limits& within) {
    return shared<detail::call_limits>({within, &error}, *this);
  }
  [[nodiscard]] bool try_lock_shared() noexcept {
    std::uint32_t seen = state_.word.load(std::memory_order_relaxed);
    while (may_share(seen))
      // The acquire pairs with the release of the writer before.
      if (state_.word.compare_exchange_weak(seen, seen + one_reader, std::memory_order_acquire,
                                            std::memory_order_relaxed))
        return true;
    return false;
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
  void unlock_shared() noexcept {
    std::uint32_t seen = state_.word.load(std::memory_order_relaxed);
    do {
      NOPAL_ASSERT(seen >= one_reader);
      if (seen == one_reader + state_.is_awaited) [[unlikely]]
        return unlock_slowly(one_reader);
      // The release pairs with the acquires of the writer that locks next.
    } while (!state_.word.compare_exchange_weak(seen, seen - one_reader, std::memory_order_release,
                                                std::memory_order_relaxed));
  }

 private:
  friend detail::shared_mutex_operation;
  template <class Limits>
  using exclusive = detail::wait_call<detail::exclusive_operation, Limits>;
  template <class Limits>
  using shared = detail::wait_call<detail::shared_operation, Limits>;

  // The bits of the word, above that of the awaited_word. While that one is set somebody has the
  // mutex locked.
  static constexpr std::uint32_t is_written = 2;
  static constexpr std::uint32_t one_reader = 4;

  static constexpr bool may_share(std::uint32_t word) noexcept {
    return (word & (is_written | detail::awaited_word<std::uint32_t>::is_awaited)) == 0;
  }
  void unlock_slowly(std::uint32_t mine) noexcept;
  std::uint32_t take_next(detail::taken_offers& next, bool only_readers) noexcept;

  detail::awaited_word<std::uint32_t> state_;
};

inline bool detail::shared_mutex_operation::take() noexcept {
  return listed.shares ? mutex->try_lock_shared() : mutex->try_lock();
}

}  // namespace nopal

#endif
