// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <system_error>

#include "nopal/detail/scheduler/noted_wait.hpp"
#include "nopal/detail/wait/decision.hpp"
#include "nopal/detail/wait/timer.hpp"
#include "nopal/detail/wait/waiting_scope.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal::detail {

/// Lets a deadline and a stop end a wait, beside what the wait is for. A stop may come to the call
/// itself, or to the scope that its strand is in. This lies with whoever waits.
class limited_wait {
 public:
  limited_wait() noexcept = default;
  limited_wait(const limited_wait&) = delete;
  limited_wait& operator=(const limited_wait&) = delete;

  /// Has a deadline or a stop decide. If one has come already, it decides at once, and so does a
  /// deadline for which there is no memory or thread.
  void begin(decision& d, const limits& within) noexcept;
  /// Does the same for a moment alone, which has this number in the wait.
  void begin_at(decision& d, limits::moment at, unsigned number) noexcept;
  /// Takes back what begin() has set. The caller calls this once the decision is over, and before
  /// the decision ends.
  void end() noexcept;

 private:
  struct stop_function {
    decision* of;
    void operator()() const noexcept;
  };

  struct deadline : timer {
    using timer::timer;
    decision* of = nullptr;
    unsigned number = 0;
  };
  static void expire(timer& t) noexcept;
  void expect_event() noexcept;

  deadline deadline_{expire};
  std::optional<std::stop_callback<stop_function>> on_stop_;
  scope_wait in_scope_;
#ifdef NOPAL_CHECK
  std::optional<expected_event> ends_;  ///< Exists while a timer or a stop callback may end it.
#endif
};

/// \throws the error that a limit is, `stopped` for a stop.
/// \param what  the wait that has ended.
[[noreturn]] void throw_limit(unsigned number, const char* what);
/// Returns the error that a limit is.
std::errc error_of_limit(unsigned number) noexcept;

/// Lets the calling strand or thread wait until the decision is over. Returns its number.
unsigned wait_for(decision& d) noexcept;

}  // namespace nopal::detail
