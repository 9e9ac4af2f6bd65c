// SPDX-License-Identifier: Apache-2.0
// This says what a frame does whose children were stolen. docs/stacks.md has the rules.
#pragma once

#include <cstddef>

namespace nopal::stacks {

/// What the worker of a frame that waits does meanwhile.
enum class rule {
  new_stack,     ///< It leaves the stack, as without this header (strategy 5 of Lee 2010).
  unrestricted,  ///< It runs what it can steal (strategy 2).
  /// It runs what it can steal that was forked no shallower than the frame lies (strategy 3).
  deeper,
  limited,  ///< It runs what it can steal, if its stack has no more than most_bytes (strategy 4).
  /// It runs what it can steal from workers that run the frame's own children (Wagner 1993).
  leapfrog,
  recycle,  ///< It leaves the stack, and thieves run there what is below the frame (strategy 6).
};

/// The rule, and its limit. It is changed only while no worker runs anything.
struct strategy {
  rule takes = rule::NOPAL_FORK_WAITS;
  std::size_t most_bytes = std::size_t{32} << 10;
};
inline strategy chosen;

/// Whether frames leave their stack to wait.
inline bool leaves_to_wait() noexcept {
  return chosen.takes == rule::new_stack || chosen.takes == rule::recycle;
}

}  // namespace nopal::stacks
