// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/sync.hpp"
#else

#include <cstddef>
#include <cstdint>
#include <system_error>
#include <type_traits>
#include <utility>

#include "nopal/detail/sync/barrier_core.hpp"
#include "nopal/detail/sync/list_operation.hpp"
#include "nopal/detail/wait/wait_call.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal {

/// Lets `n` strands, tasks or threads wait for each other, phase after phase. docs/sync.md has the
/// protocol and its argument.
/// \code
/// int sum = 0;
/// nopal::barrier all(2, [&]() noexcept { ++sum; });
/// const auto work = [&] {
///   for (int phase = 0; phase < 10; ++phase) all.arrive_and_wait();
/// };
/// nopal::parallel_invoke(work, work);
/// \endcode
/// \tparam F  the function of the phases. It must not throw. The last one to arrive calls it,
/// before the others go on; it may fork and wait.
///
/// All `n` have to be strands, tasks or threads of their own: one that runs behind another on the
/// same strand never arrives.
/// Thread-safety: as std::barrier. Each of the `n` arrives once a phase. Whoever knows that all
/// others have arrived for the last time, and that none of them waits, may destroy the barrier.
/// Complexity: an arrival is one atomic instruction, except the last one of a phase.
template <class F = detail::no_phase_function>
class barrier {
  static_assert(std::is_nothrow_invocable_v<F&>,
                "nopal::barrier: the function of the phases has to be noexcept");

 public:
  /// What arrive() returns, for wait().
  class arrival_token {
   public:
    arrival_token(arrival_token&&) noexcept = default;
    arrival_token& operator=(arrival_token&&) noexcept = default;

   private:
    friend barrier;
    explicit arrival_token(std::uint32_t p) noexcept : phase_(p) {}
    std::uint32_t phase_;
  };

  explicit barrier(std::ptrdiff_t n, F on_phase = F()) : core_(n), on_phase_(std::move(on_phase)) {}

  /// Arrives, and waits until all have. A task writes `co_await b.arrive_and_wait()`. Whatever ends
  /// the wait, the caller has arrived.
  /// \throws nopal::stopped if it would have to wait, and a stop comes to the caller's scope.
  auto arrive_and_wait() noexcept { return wait(arrive()); }
  /// Does the same within limits.
  /// \throws std::system_error if a limit ends the wait, nopal::stopped if it is a stop.
  auto arrive_and_wait(const limits& within) { return wait(arrive(), within); }
  /// Does the same without an exception.
  auto arrive_and_wait(std::error_code& error, const limits& within) {
    return wait(arrive(), error, within);
  }

  /// Arrives `k` times, and does not wait.
  [[nodiscard]] arrival_token arrive(std::ptrdiff_t k = 1) noexcept {
    const std::uint32_t phase = core_.phase();
    arrive_in_phase(k);
    return arrival_token(phase);
  }
  /// Waits until the phase of the token is over. A task writes `co_await b.wait(std::move(token))`.
  /// \throws nopal::stopped if it would have to wait, and a stop comes to the caller's scope.
  auto wait(arrival_token&& t) noexcept {
    return detail::wait_call<operation>({}, &core_, t.phase_);
  }
  /// Does the same within limits. The token may be waited for again.
  /// \throws std::system_error if a limit ends the wait, nopal::stopped if it is a stop.
  auto wait(const arrival_token& t, const limits& within) {
    return detail::wait_call<operation, detail::call_limits>({within, nullptr}, &core_, t.phase_);
  }
  /// Does the same without an exception. The phase is over if there is no error.
  auto wait(const arrival_token& t, std::error_code& error, const limits& within) {
    return detail::wait_call<operation, detail::call_limits>({within, &error}, &core_, t.phase_);
  }
  /// Whether the phase of the token is over.
  [[nodiscard]] bool try_wait(const arrival_token& t) const noexcept {
    return core_.is_over(t.phase_);
  }

  /// Arrives for the last time: each later phase waits for one less.
  void arrive_and_drop() noexcept {
    core_.drop();
    arrive_in_phase(1);
  }

 private:
  using operation = detail::list_operation<detail::phase_end>;

  void arrive_in_phase(std::ptrdiff_t k) noexcept {
    if (!core_.arrives(k)) return;
    on_phase_();
    core_.end_phase();
  }

  detail::barrier_core core_;
  [[no_unique_address]] F on_phase_;
};

}  // namespace nopal

#endif
