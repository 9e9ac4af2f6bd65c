// SPDX-License-Identifier: Apache-2.0
// These say from which worker a thief steals, and when.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "scheduler/events.hpp"

namespace nopal::detail {

/// Draws victims for one worker, near ones more often: weight 1 / (n_ij r_ij^2), where r_ij is the
/// topological distance and n_ij the number of workers at that distance (Williams and Elliott 2024,
/// equation 6).
class victims {
 public:
  /// \param distances  from this worker to each worker, by index; the worker's own entry is
  /// ignored.
  victims(unsigned self, const std::vector<unsigned>& distances, std::uint64_t seed);

  /// Makes the victims of another worker that is as far from all others as `like`, whose owner may
  /// be drawing.
  victims(const victims& like, unsigned self, std::uint64_t seed);

  /// Whether there is another worker to steal from.
  [[nodiscard]] bool any() const noexcept { return !thresholds_.empty(); }

  /// Draws the index of a worker other than this one. Precondition: any(). O(log workers).
  unsigned draw() noexcept;

 private:
  struct threshold {
    std::uint64_t
        below;  ///< Drawn when the random number is below this and not below the one before.
    unsigned index;
  };

  std::uint64_t state_;
  std::vector<threshold> thresholds_;
};

/// Draws a seed from the system, never 0, for a scheduler whose options name none.
std::uint64_t random_seed();

/// Returns the n-th number of the sequence that `seed` starts: SplitMix64 (Steele, Lea and Flood
/// 2014). Each worker draws its victims from a state of its own that this makes of the scheduler's
/// seed. The watch makes one number of many by it, to see whether any of them has changed.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t n) noexcept;

/// Says when a thief may try again. Each attempt costs the victim as well: cache lines, and an
/// interrupt if it does not answer (the asymmetric fence). So a thief that got nothing, or a strand
/// that was soon over, leaves its victims alone for a while, each time for twice as long. One
/// strand that lasts makes it eager again. Without this, two workers take a function that forks
/// children of nanoseconds from each other all the time, and both together are slower than one.
///
/// \tparam Clock  std::chrono::steady_clock, except in tests.
template <class Clock = std::chrono::steady_clock>
class back_off {
 public:
  using duration = typename Clock::duration;

  /// A strand is to last so many times as long as it took to steal it, but never longer than
  /// `most_worth`.
  static constexpr int times_the_steal = 3;
  static constexpr duration least_worth = std::chrono::microseconds(1);
  static constexpr duration most_worth = std::chrono::microseconds(10);
  /// The time that one more spawned function, stolen with the first one, may take on its way from
  /// one worker's cache to another's.
  static constexpr duration worth_one_more = std::chrono::nanoseconds(250);
  static constexpr duration shortest = std::chrono::microseconds(1);
  static constexpr duration longest = std::chrono::microseconds(64);

  /// Whether a thief with nothing to do is not to steal yet.
  [[nodiscard]] bool waits() const noexcept {
    return pause_ != duration::zero() && Clock::now() < until_ &&
           !emit<scheduler_events::backing_off>();
  }

  /// Notes that an attempt begins, of which got_nothing() or stole() says how it has ended.
  void tries() noexcept { tried_ = Clock::now(); }

  /// Notes that an attempt has failed.
  void got_nothing() noexcept {
    pause_ = std::clamp(2 * pause_, shortest, longest);
    until_ = Clock::now() + pause_;
  }

  /// Notes that an attempt has succeeded. The strand is about to run.
  /// \param more  spawned functions that were stolen with it, and will run after it.
  void stole(std::int64_t more = 0) noexcept {
    stolen_ = true;
    began_ = Clock::now();
    worth_ = std::clamp(times_the_steal * (began_ - tried_), least_worth, most_worth) +
             more * worth_one_more;
  }

  /// Notes that the worker has nothing more to run.
  void ran_out() noexcept {
    if (!stolen_) return;
    stolen_ = false;
    if (Clock::now() - began_ < worth_)
      got_nothing();
    else
      pause_ = duration::zero();
  }

 private:
  duration pause_ = duration::zero();
  typename Clock::time_point until_;  ///< The end of the pause.
  typename Clock::time_point tried_;  ///< The time at which the last attempt began.
  typename Clock::time_point began_;  ///< The time of the last steal.
  duration worth_ = least_worth;      ///< How long what was stolen is to last.
  /// Whether what runs or has just ended was stolen, not submitted.
  bool stolen_ = false;
};

}  // namespace nopal::detail
