// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "scheduler/events.hpp"

namespace nopal::detail {

/// When a thief may try again. Being stolen from costs the victim too: for each attempt cache
/// lines, and an interrupt where it does not answer (the asymmetric fence). So a thief that got
/// nothing, or a strand that was soon over, leaves its victims alone for a while, each time for
/// twice as long; one strand that lasts makes it eager again. Without this, two workers take a
/// function that forks children of nanoseconds from each other all the time, and both together are
/// slower than one.
///
/// \tparam Clock is std::chrono::steady_clock but in tests.
template <class Clock = std::chrono::steady_clock>
class back_off {
 public:
  using duration = typename Clock::duration;

  static constexpr duration worth_a_steal =
      std::chrono::microseconds(10);  ///< A strand that lasts as long: a few steals' time.
  static constexpr duration shortest = std::chrono::microseconds(1);
  static constexpr duration longest = std::chrono::microseconds(64);

  /// Whether a thief with nothing to do is not to steal yet.
  [[nodiscard]] bool waits() const noexcept {
    return pause_ != duration::zero() && Clock::now() < until_ &&
           !emit<scheduler_events::backing_off>();
  }

  /// An attempt has failed.
  void got_nothing() noexcept {
    pause_ = std::clamp(2 * pause_, shortest, longest);
    until_ = Clock::now() + pause_;
  }

  /// An attempt has succeeded; the strand is about to run.
  void stole() noexcept {
    stolen_ = true;
    began_ = Clock::now();
  }

  /// The worker has nothing more to run.
  void ran_out() noexcept {
    if (!stolen_) return;
    stolen_ = false;
    if (Clock::now() - began_ < worth_a_steal)
      got_nothing();
    else
      pause_ = duration::zero();
  }

 private:
  duration pause_ = duration::zero();
  typename Clock::time_point until_;  ///< Of the pause.
  typename Clock::time_point began_;  ///< What was stolen last.
  bool stolen_ = false;               ///< What runs or has just ended; not: submitted.
};

}  // namespace nopal::detail
