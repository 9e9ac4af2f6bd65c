// SPDX-License-Identifier: Apache-2.0
// The adversarial scheduler: one thread plays all workers of a scheduler, and a seed says at every
// step of the protocols which of them goes on. It finds in seconds what real threads find in days,
// and finds it again from the seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "nopal/options.hpp"

namespace nopal_test {

/// How one run is disturbed.
struct disturbance {
  std::uint64_t seed = 1;
  unsigned workers = 3;
  double steal = 0.5;      ///< Probability that a fork is followed by a thief's turn, so that the
                           ///< continuation runs first.
  double elsewhere = 0.2;  ///< Probability of a change of worker at every other step.
  std::size_t stacks = SIZE_MAX;  ///< What the system gives.
  nopal::reclaim_policy reclaim = nopal::reclaim_policy::none;

  /// Everything drawn from the seed.
  static disturbance of(std::uint64_t seed);
  [[nodiscard]] std::string text() const;
};

/// What a run came to.
struct outcome {
  std::uint64_t steals = 0;
  std::uint64_t suspensions = 0;
  std::string
      fault;  ///< What of the scheduler was not as it must be after the run; empty: nothing.
};

/// Calls call(argument) on the workers and returns when all of them are idle again. `what` names
/// the run for the message that the watchdog or a crash prints, with the disturbance and the state
/// of every worker.
outcome run_disturbed(const disturbance& d, const char* what, void (*call)(void*), void* argument);

/// The same for any callable.
template <class F>
outcome run_disturbed(const disturbance& d, const char* what, F f) {
  return run_disturbed(d, what, [](void* p) { (*static_cast<F*>(p))(); }, &f);
}

/// A step at which the thread may be taken away, for code that has none of its own.
void preempt();

/// While one exists the thread is not taken away: for code that knows threads by their ids, such as
/// a std::stop_source that calls its callbacks. All workers have the same id here.
class undisturbed {
 public:
  undisturbed() noexcept;
  ~undisturbed();
  undisturbed(const undisturbed&) = delete;
  undisturbed& operator=(const undisturbed&) = delete;
};

}  // namespace nopal_test
