// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/sync.hpp"
#else

#include <atomic>
#include <concepts>
#include <cstdint>
#include <system_error>
#include <type_traits>

#include "nopal/detail/sync/awaited_word.hpp"
#include "nopal/detail/sync/once_operation.hpp"
#include "nopal/detail/wait/wait_call.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal {

/// Has one of those that call() run its function, and the others wait until it has. It is for
/// strands, tasks and threads what std::call_once is for threads: that one keeps the worker of
/// whoever waits. docs/sync.md has the protocol and its argument.
/// \code
/// nopal::once initialized;
/// nopal::for_each(std::views::iota(0, 100), [&](int) {
///   initialized.call([] { std::puts("once"); });
/// });
/// \endcode
///
/// If the function throws, its caller gets the exception, and the one that has waited longest runs
/// its own function in its place. A function that waits for its own once waits for ever.
/// Thread-safety: any strand, task or thread may call any member at any time. Whoever knows that no
/// other waits may destroy the once when call() returns.
/// Complexity: a call after the function has run is one atomic load.
class once {
 public:
  once() noexcept : state_(is_new) {}
  once(const once&) = delete;
  once& operator=(const once&) = delete;

  /// Runs `f()`, unless another call has run its function. Waits for one that runs it now. A task
  /// writes `co_await o.call(f)`; the task itself runs `f`.
  /// \throws what `f` throws; nopal::stopped if it would have to wait for another call, and a stop
  /// comes to the caller's scope.
  template <std::invocable F>
  auto call(F&& f) {
    return detail::wait_call<operation<F>>({}, *this, f);
  }
  /// Does the same, unless a limit ends the wait. No limit ends `f`.
  /// \throws what `f` throws; std::system_error if a limit ends the wait, nopal::stopped if it is a
  /// stop.
  template <std::invocable F>
  auto call(F&& f, const limits& within) {
    return detail::wait_call<operation<F>, detail::call_limits>({within, nullptr}, *this, f);
  }
  /// Does the same without an exception for the limit. A function has run if there is no error.
  template <std::invocable F>
  auto call(F&& f, std::error_code& error, const limits& within) {
    return detail::wait_call<operation<F>, detail::call_limits>({within, &error}, *this, f);
  }
  /// Does the same if nobody runs a function now. Returns whether one has run.
  template <std::invocable F>
  bool try_call(F&& f) {
    operation<F> o(*this, f);
    if (!o.take()) return false;
    o.value();
    return true;
  }

  /// Whether a function has run. If so, everything is seen that it has done.
  [[nodiscard]] bool is_done() const noexcept {
    return state_.word.load(std::memory_order_acquire) == has_run;  // pairs with once_turn
  }

 private:
  template <class F>
  using operation = detail::once_operation<std::remove_reference_t<F>>;
  friend detail::once_turn;

  static constexpr std::uint32_t is_new = 0;
  static constexpr std::uint32_t runs = 2;  ///< Only now somebody is listed.
  static constexpr std::uint32_t has_run = 4;

  detail::awaited_word<std::uint32_t> state_;
};

inline bool detail::once_turn::take() noexcept {
  if (once_->is_done()) return true;
  std::uint32_t seen = once::is_new;
  // The acquire pairs with the release of one that has thrown.
  offer_.is_to_run = once_->state_.word.compare_exchange_strong(
      seen, once::runs, std::memory_order_acquire, std::memory_order_acquire);
  return offer_.is_to_run || seen == once::has_run;
}

}  // namespace nopal

#endif
