// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "nopal/detail/deque/continuation.hpp"

namespace nopal::detail {

class stack;
struct strand_worker;

/// What becomes of the stacks if not every worker sees all of them, and each is shown what it needs
/// before it runs something. A runtime has none of this if every worker sees every stack, as
/// threads do. stack_supply alone asks which it is; docs/mapped.md has the one strategy that there
/// is.
///
/// Every member function that takes a worker is called by that worker, on its scheduler stack.
class stack_strategy {
 public:
  /// Makes a stack, which is nowhere yet. Returns nullptr if there is no memory for more.
  virtual stack* make() noexcept = 0;

  /// Notes on which stacks the strand of the victim relies. `thief` has seen something in the
  /// victim's deque, and has not claimed it yet.
  virtual void copy_chain(const strand_worker& thief, const strand_worker& victim) noexcept = 0;

  /// Lets `thief`, which has claimed `c` since copy_chain(), see `c` and all that `c` relies on.
  /// The spare stack of `thief` is then where the strand of `c` is to begin.
  virtual void begin_stolen(strand_worker& thief, const continuation& c) noexcept = 0;

  /// Does what begin_stolen() does, for a call from outside, which relies on no stack.
  virtual void begin_call(strand_worker& w) noexcept = 0;

  /// Lets `w`, which is about to go on with a strand on `s`, see `s`.
  virtual void go_on(strand_worker& w, stack& s) noexcept = 0;

  /// Returns how many pages of all stacks are in memory.
  [[nodiscard]] virtual std::size_t resident_pages() const noexcept = 0;

  /// Ends the program with a message which says that `what` would need a stack that a worker cannot
  /// know.
  [[noreturn]] static void refuse(const char* what) noexcept;

 protected:
  ~stack_strategy() = default;
};

}  // namespace nopal::detail
