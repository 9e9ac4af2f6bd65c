// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nopal/detail/join/arrival.hpp"
#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

/// The join of a function with many children: the split counter of Pfeiffer 2020, section 4.6.2,
/// shifted to begin at 0. docs/join.md has the protocol and its argument.
///
/// Children whose continuation was stolen count the word down, so it is negative until the join.
/// The one worker that runs the function counts steals without synchronization, and adds them at
/// the join. Whoever makes the word 0 is the last to arrive, and goes on with the function.
///
/// \tparam Flags  number of bits that the owner keeps beside the number of steals, so that "nothing
/// has happened" is one comparison on the fork path.
/// \tparam Marks  number of bits above them for what is set once and stays, so that "nothing is
/// unusual" is one comparison, too.
template <unsigned Flags, unsigned Marks = 0>
class split_counter {
 public:
  static constexpr std::uint64_t one_steal = std::uint64_t{1} << (Flags + Marks);

  // The worker that runs the function calls these.

  /// Whether nothing has happened, and there is no mark.
  [[nodiscard]] bool unmarked() const noexcept { return state_ == 0; }
  /// Whether nothing has happened.
  [[nodiscard]] bool untouched() const noexcept {
    return unmarked() || (Marks != 0 && (state_anew() & ~marks) == 0);
  }
  [[nodiscard]] bool stolen_from() const noexcept { return state_ >= one_steal; }
  [[nodiscard]] std::uint64_t steals() const noexcept { return state_ / one_steal; }
  [[nodiscard]] std::uint64_t state() const noexcept { return state_; }
  /// Counts a steal of the function, before the thief goes on with it.
  void count_steal() noexcept {
    state_ += one_steal;
    // No more children have arrived than were stolen, the one of this steal included.
    NOPAL_ASSERT(word_.load() <= 0 && word_.load() + static_cast<std::int64_t>(steals()) >= 0);
  }
  /// Whether a flag, or a mark, is set.
  [[nodiscard]] bool has(std::uint64_t flag) const noexcept { return (state_ & flag) != 0; }
  /// Does what has() does, faster if nothing has happened and there is no mark, as in most cases.
  [[nodiscard]] bool marked_with(std::uint64_t flag) const noexcept {
    return !unmarked() && (state_anew() & flag) != 0;
  }
  void set(std::uint64_t flag) noexcept { state_ |= flag; }
  /// Forgets the steals after the last arrival: the word is 0 again.
  void forget_steals() noexcept {
    NOPAL_ASSERT(all_have_arrived());
    state_ %= one_steal;
  }
  /// Expects one more arrival of the function, which has waited in its middle and comes to its join
  /// later. Called after the last arrival. Afterwards the word is as if only the children had
  /// arrived.
  void expect_again() noexcept {
    NOPAL_ASSERT(all_have_arrived());
    word_.add(-static_cast<std::int64_t>(steals()));
  }
  [[nodiscard]] bool all_have_arrived() const noexcept { return word_.load() == 0; }
  /// Forgets all but the marks, at the end of a join.
  void clear() noexcept { state_ &= marks; }

  // Any worker may call this.

  /// Announces an arrival: a stolen child arrives with -1, the function at its join with the number
  /// of steals. Returns whether this was the last arrival.
  [[nodiscard]] bool arrives(std::int64_t counts) noexcept {
    const std::int64_t missing = word_.add(counts);
    NOPAL_ASSERT(counts == -1 || missing >= 0);  // no child arrives that was not stolen
    return missing == 0;
  }

 private:
  /// Returns the state for a second comparison. If the compiler knew that it is the same state, it
  /// would merge the two comparisons, and would not see that each begins by asking whether the
  /// state is 0.
  [[nodiscard]] std::uint64_t state_anew() const noexcept {
    std::uint64_t s = state_;
    asm("" : "+r"(s));
    return s;
  }

  static constexpr std::uint64_t marks = one_steal - (std::uint64_t{1} << Flags);

  /// Steals since the last join, times one_steal, the marks, and the flags.
  std::uint64_t state_ = 0;
  arrival_word word_{0};
};

}  // namespace nopal::detail
