// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/sync.hpp"
#else

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/sync/awaited_word.hpp"
#include "nopal/detail/sync/list_operation.hpp"
#include "nopal/detail/wait/wait_call.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal {

/// A number of permits for strands, tasks and threads. Whoever acquires one while there is none is
/// suspended. docs/sync.md has the protocol and its argument.
/// \code
/// nopal::semaphore connections(4);
/// nopal::for_each(std::views::iota(0, 100), [&](int) {
///   connections.acquire();
///   // at most four are here at a time
///   connections.release();
/// });
/// \endcode
///
/// Fairness: first come, first served. While somebody waits, nobody that comes later acquires.
/// Thread-safety: any strand, task or thread may call any member at any time. The semaphore may be
/// destroyed when nobody waits; so whoever has acquired the last permit that will be released may
/// destroy it at once.
/// Complexity: acquire() and release() are one atomic instruction each if nobody waits.
class semaphore {
 public:
  /// Makes a semaphore with `n` permits, of which there are never more than max().
  explicit semaphore(std::ptrdiff_t n) noexcept : state_(static_cast<std::uint64_t>(n) * one) {
    NOPAL_ASSERT(n >= 0 && n <= max());
  }
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;

  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept {
    return std::numeric_limits<std::ptrdiff_t>::max();
  }

  /// Acquires a permit. A task writes `co_await s.acquire()`.
  /// \throws nopal::stopped if it would have to wait, and a stop comes to the caller's scope.
  auto acquire() noexcept { return detail::wait_call<operation>({}, this); }
  /// Acquires a permit, unless a limit ends the wait.
  /// \throws std::system_error if a limit does, nopal::stopped if it is a stop.
  auto acquire(const limits& within) {
    return detail::wait_call<operation, detail::call_limits>({within, nullptr}, this);
  }
  /// Does the same without an exception. A permit has been acquired if there is no error.
  auto acquire(std::error_code& error, const limits& within) {
    return detail::wait_call<operation, detail::call_limits>({within, &error}, this);
  }
  /// Acquires a permit if that needs no wait. Returns whether it has.
  [[nodiscard]] bool try_acquire() noexcept { return take(); }
  /// Acquires a permit, unless the deadline ends the wait. Returns whether it has.
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

  /// Gives `k` permits to those that wait, the one that has waited longest first, and keeps the
  /// rest. Whoever acquires one sees what the caller has done before.
  void release(std::ptrdiff_t k = 1) noexcept {
    NOPAL_ASSERT(k >= 0);
    std::uint64_t seen = state_.word.load(std::memory_order_relaxed);
    do {
      if ((seen & state_.is_awaited) != 0) [[unlikely]]
        return release_slowly(k);
      // The release pairs with the acquires in take() and take_or_list().
    } while (!state_.word.compare_exchange_weak(seen, seen + static_cast<std::uint64_t>(k) * one,
                                                std::memory_order_release,
                                                std::memory_order_relaxed));
  }

 private:
  using operation = detail::list_operation<detail::object_event<semaphore>>;
  friend detail::object_event<semaphore>;

  static constexpr const char* call_name = "nopal::semaphore: acquire";
  static constexpr const char* waits_for = "a permit of the nopal::semaphore";
  static constexpr std::uint64_t one = 2;  ///< A permit. While somebody is listed there is none.

  bool take() noexcept {
    std::uint64_t seen = state_.word.load(std::memory_order_relaxed);
    while (seen >= one)
      // The acquire pairs with the releases in release().
      if (state_.word.compare_exchange_weak(seen, seen - one, std::memory_order_acquire,
                                            std::memory_order_relaxed))
        return true;
    return false;
  }
  bool take_or_list(detail::offer& o) noexcept;
  void release_slowly(std::ptrdiff_t k) noexcept;

  detail::awaited_word<std::uint64_t> state_;
};

}  // namespace nopal

#endif
