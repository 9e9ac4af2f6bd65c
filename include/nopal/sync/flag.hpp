// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/sync.hpp"
#else

#include <atomic>
#include <cstdint>
#include <system_error>

#include "nopal/detail/sync/awaited_word.hpp"
#include "nopal/detail/sync/list_operation.hpp"
#include "nopal/detail/wait/wait_call.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal {

/// A flag that strands, tasks and threads set, reset and wait for. docs/sync.md has the protocol
/// and its argument.
/// \code
/// nopal::flag ready;
/// nopal::parallel_invoke([&] { ready.wait(); }, [&] { ready.set(); });
/// \endcode
///
/// Thread-safety: any strand, task or thread may call any member at any time. Whoever knows that no
/// other waits may destroy the flag when wait() returns, even if the call of set() has not returned
/// yet.
/// Complexity: set(), reset() and is_set() are one atomic instruction each if nobody waits.
class flag {
 public:
  /// Makes a flag that is not set.
  flag() noexcept : state_(0) {}
  flag(const flag&) = delete;
  flag& operator=(const flag&) = delete;

  /// Sets the flag. All that wait go on, even if it is reset before they do. Whoever goes on sees
  /// what the caller has done before.
  void set() noexcept {
    std::uint32_t seen = state_.word.load(std::memory_order_relaxed);
    do {
      if ((seen & state_.is_awaited) != 0) [[unlikely]]
        return set_slowly();
      // The release pairs with the acquires in take() and take_or_list(). This writes the word even
      // if it is set, so that what the caller has done is seen, too.
    } while (!state_.word.compare_exchange_weak(seen, seen | is_up, std::memory_order_release,
                                                std::memory_order_relaxed));
  }
  /// Resets the flag, so that whoever waits from now on waits for the next set(). The caller sees
  /// what was done before the calls of set() that this undoes.
  void reset() noexcept {
    // The acquire pairs with the releases in set().
    state_.word.fetch_and(~is_up, std::memory_order_acquire);
  }
  /// Whether the flag is set. If so, everything is seen that was done before set().
  [[nodiscard]] bool is_set() const noexcept { return take(); }

  /// Waits until the flag is set. A task writes `co_await f.wait()`.
  /// \throws nopal::stopped if it would have to wait, and a stop comes to the caller's scope.
  auto wait() noexcept { return detail::wait_call<operation>({}, this); }
  /// Waits until the flag is set, unless a limit ends the wait.
  /// \throws std::system_error if a limit does, nopal::stopped if it is a stop.
  auto wait(const limits& within) {
    return detail::wait_call<operation, detail::call_limits>({within, nullptr}, this);
  }
  /// Does the same without an exception. The flag has been set if there is no error.
  auto wait(std::error_code& error, const limits& within) {
    return detail::wait_call<operation, detail::call_limits>({within, &error}, this);
  }

 private:
  using operation = detail::list_operation<detail::object_event<flag>>;
  friend detail::object_event<flag>;

  static constexpr const char* call_name = "nopal::flag: wait";
  static constexpr const char* waits_for = "the nopal::flag";
  static constexpr std::uint32_t is_up = 2;  ///< While this is set nobody is listed.

  [[nodiscard]] bool take() const noexcept {
    // The acquire pairs with the releases in set().
    return (state_.word.load(std::memory_order_acquire) & is_up) != 0;
  }
  bool take_or_list(detail::offer& o) noexcept;
  void set_slowly() noexcept;

  detail::awaited_word<std::uint32_t> state_;
};

}  // namespace nopal

#endif
