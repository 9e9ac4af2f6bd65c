// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/countdown.hpp"
#else

#include <atomic>
#include <cstdint>
#include <system_error>

#include "nopal/detail/async/countdown_operation.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/wait/wait_call.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal {

namespace detail {
struct c_countdown;
}

/// Lets one strand, task or thread wait until a number of signals have come. Any number of strands
/// and threads signal. docs/async.md has the protocol and its argument.
/// \code
/// nopal::countdown ready(2);
/// nopal::parallel_invoke([&] { ready.signal(); }, [&] { ready.signal(); });
/// ready.wait();
///
/// ready.add();
/// std::error_code error;
/// ready.wait(error, std::chrono::milliseconds(1));  // std::errc::timed_out
/// ready.signal();                                   // it is still counted
/// \endcode
///
/// The countdown counts from 0 after wait() has returned, may be used again, and may be destroyed.
/// With NOPAL_CHECK the program ends with a message if a signal comes that nobody has counted, or
/// if the countdown ends while somebody waits.
/// Thread-safety: any thread may call add(), signal() and signal_and_end() at any time before the
/// last signal; one at a time waits.
/// Complexity: each call is wait-free, except a wait, and except the last signal if somebody waits,
/// which is lock-free.
/// Source: the simple signal of Schmaus 2015, section 3.5.
class countdown {
  using operation = detail::countdown_operation;

 public:
  /// Waits for `n` signals, and for those that add() adds.
  explicit countdown(std::int64_t n = 0) noexcept : word_(n * one_signal) { check_added(n); }
#ifdef NOPAL_CHECK
  ~countdown();
#endif
  countdown(const countdown&) = delete;
  countdown& operator=(const countdown&) = delete;

  /// Waits for `k` more signals. The caller knows that nobody has gone on yet: it is itself the one
  /// that will wait, or it adds before a signal that is still to come.
  void add(std::int64_t k = 1) noexcept {
    check_added(k);
    word_.fetch_add(k * one_signal, std::memory_order_relaxed);
  }

  /// Gives `k` signals. Whoever waits sees what the caller has done before. If these are the last
  /// signals, whoever waits goes on, and the countdown may be gone when this returns.
  void signal(std::int64_t k = 1) noexcept {
    // This releases for, and acquires from, the other signals, done() and wait(): whoever goes on,
    // or lets the waiter go on, has seen all that was done before the signals.
    const std::int64_t before = word_.fetch_sub(k * one_signal, std::memory_order_acq_rel);
    check_signalled(before, k);
    if (before == k * one_signal + somebody_waits) decision_->serve();
  }

  /// Gives one signal, as the last act of the calling strand. The signal is made when the strand
  /// has left its stack. If it is the last one, the strand's worker goes on with whoever waits,
  /// with no queue between. Call it last: what the strand does afterwards delays the signal. If the
  /// strand asks for another such signal before, or suspends, this one is made then. On a thread
  /// that is no worker this is signal().
  /// \code
  /// nopal::countdown done(1);
  /// nopal::parallel_invoke([&] { done.wait(); }, [&] { done.signal_and_end(); });
  /// \endcode
  void signal_and_end() noexcept;

  /// Returns when all signals have come. The calling strand is suspended meanwhile, and may go on
  /// on another worker. A thread that is no worker sleeps. A task writes `co_await d.wait()`, or
  /// `co_await d`.
  /// \throws nopal::stopped if it would have to wait, and a stop comes to the caller's scope.
  auto wait() noexcept { return detail::wait_call<operation>({}, this); }
  /// Returns when all signals have come, unless a limit ends the wait. Then the countdown counts on
  /// as if nobody had waited, and somebody may wait again.
  /// \throws std::system_error if a limit does, nopal::stopped if it is a stop.
  auto wait(const limits& within) {
    return detail::wait_call<operation, detail::call_limits>({within, nullptr}, this);
  }
  /// Does the same without an exception. All signals have come if there is no error.
  auto wait(std::error_code& error, const limits& within) {
    return detail::wait_call<operation, detail::call_limits>({within, &error}, this);
  }

  /// Whether all signals have come. If so, everything that was done before them is seen.
  [[nodiscard]] bool done() const noexcept {
    return word_.load(std::memory_order_acquire) / one_signal == 0;  // pairs with signal()
  }

  /// A co_await in a task calls this.
  template <class Task>
  [[nodiscard]] detail::wait_awaiter<operation, detail::no_limits, Task> awaiter_in(
      Task& t) noexcept {
    return wait().awaiter_in(t);
  }

 private:
  friend operation;
  friend detail::c_countdown;  // counts for C, which gets errors: src/c/countdown.hpp

#ifdef NOPAL_CHECK
  static void check_added(std::int64_t k) noexcept;
  /// \param before  the word, before it has been lowered for k signals.
  static void check_signalled(std::int64_t before, std::int64_t k) noexcept;
#else
  static void check_added([[maybe_unused]] std::int64_t k) noexcept { NOPAL_ASSERT(k >= 0); }
  static void check_signalled([[maybe_unused]] std::int64_t before,
                              [[maybe_unused]] std::int64_t k) noexcept {
    NOPAL_ASSERT(before >= k * one_signal);  // no signal comes that was not counted
  }
#endif
  bool announce(detail::decision& d) noexcept;
  bool withdraw() noexcept;
  void begin_again() noexcept;
  static void signal_last(void* self) noexcept;

  static constexpr std::int64_t somebody_waits = 1;
  static constexpr std::int64_t one_signal = 2;

  /// The signals still to come, times one_signal; and somebody_waits, once `decision_` is set.
  std::atomic<std::int64_t> word_;
  detail::decision* decision_ = nullptr;
};

inline bool detail::countdown_operation::take() noexcept {
  if (at_ == nullptr) return true;
  if (!at_->done()) return false;
  at_->begin_again();
  return true;
}

}  // namespace nopal

#endif
