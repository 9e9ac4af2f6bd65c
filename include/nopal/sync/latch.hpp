// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/sync.hpp"
#else

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <system_error>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/sync/awaited_word.hpp"
#include "nopal/detail/sync/list_operation.hpp"
#include "nopal/detail/wait/wait_call.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal {

/// Lets strands, tasks and threads wait until a count has come down to 0, where it stays.
/// docs/sync.md has the protocol and its argument. One that waits alone may use nopal::countdown,
/// which can be used again.
/// \code
/// nopal::latch ready(2);
/// nopal::parallel_invoke([&] { ready.count_down(); }, [&] { ready.count_down(); },
///                        [&] { ready.wait(); }, [&] { ready.wait(); });
/// \endcode
///
/// Thread-safety: any strand, task or thread may call any member at any time. Whoever knows that no
/// other waits may destroy the latch when wait() returns, even if a call of count_down() has not
/// returned yet.
/// Complexity: count_down() is one atomic instruction, except the last one if somebody waits.
class latch {
 public:
  /// Makes a latch that counts down from `n`.
  explicit latch(std::ptrdiff_t n) noexcept : state_(static_cast<std::uint64_t>(n) * one) {
    NOPAL_ASSERT(n >= 0);
  }
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  /// Counts down by `k`. Whoever waits sees what the caller has done before. Precondition: the
  /// count is not less than `k`.
  void count_down(std::ptrdiff_t k = 1) noexcept {
    const std::uint64_t by = static_cast<std::uint64_t>(k) * one;
    std::uint64_t seen = state_.word.load(std::memory_order_relaxed);
    do {
      NOPAL_ASSERT(k >= 0 && seen >= by);
      if (seen == by + state_.is_awaited) [[unlikely]]
        return count_down_last(by);
      // The release pairs with the acquires in take() and take_or_list().
    } while (!state_.word.compare_exchange_weak(seen, seen - by, std::memory_order_release,
                                                std::memory_order_relaxed));
  }

  /// Whether the count is 0. If so, everything is seen that was done before it came to 0.
  [[nodiscard]] bool try_wait() const noexcept { return take(); }
  /// Waits until the count is 0. A task writes `co_await l.wait()`.
  /// \throws nopal::stopped if it would have to wait, and a stop comes to the caller's scope.
  auto wait() noexcept { return detail::wait_call<operation>({}, this); }
  /// Waits until the count is 0, unless a limit ends the wait.
  /// \throws std::system_error if a limit does, nopal::stopped if it is a stop.
  auto wait(const limits& within) {
    return detail::wait_call<operation, detail::call_limits>({within, nullptr}, this);
  }
  /// Does the same without an exception. The count is 0 if there is no error.
  auto wait(std::error_code& error, const limits& within) {
    return detail::wait_call<operation, detail::call_limits>({within, &error}, this);
  }

  /// Counts down by `k`, and then waits. A task writes `co_await l.arrive_and_wait()`. The count
  /// stays lower whatever ends the wait.
  /// \throws nopal::stopped if it would have to wait, and a stop comes to the caller's scope.
  auto arrive_and_wait(std::ptrdiff_t k = 1) noexcept {
    count_down(k);
    return wait();
  }
  /// Does the same within limits.
  /// \throws std::system_error if a limit does, nopal::stopped if it is a stop.
  auto arrive_and_wait(const limits& within) {
    count_down();
    return wait(within);
  }
  /// Does the same without an exception.
  auto arrive_and_wait(std::error_code& error, const limits& within) {
    count_down();
    return wait(error, within);
  }

 private:
  using operation = detail::list_operation<detail::object_event<latch>>;
  friend detail::object_event<latch>;

  static constexpr const char* call_name = "nopal::latch: wait";
  static constexpr const char* waits_for = "the nopal::latch";
  static constexpr std::uint64_t one = 2;

  [[nodiscard]] bool take() const noexcept {
    // The acquire pairs with the releases of all that have counted down.
    return state_.word.load(std::memory_order_acquire) == 0;
  }
  bool take_or_list(detail::offer& o) noexcept;
  void count_down_last(std::uint64_t by) noexcept;

  detail::awaited_word<std::uint64_t> state_;
};

}  // namespace nopal

#endif
