// SPDX-License-Identifier: Apache-2.0
// How a front end moves between the stacks of strands and the scheduler stack of its worker.
#pragma once

#include <cstddef>
#include <new>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/platform/context.hpp"
#include "nopal/detail/strand/strand_state.hpp"
#include "nopal/detail/strand/worker.hpp"

namespace nopal::detail {

class stack;
struct suspension;

/// Goes on with a suspended strand that needs no other stack.
struct resumption : continuation {
  explicit resumption(suspension& s) noexcept : continuation(resume), suspended(&s) {}
  suspension* suspended;

 private:
  static void resume(continuation& c, worker& w) noexcept;
};

/// A strand that has stopped and can go on, on any worker. It lies on the strand's own stack.
struct suspension {
  suspension() noexcept {
  }  // it lies in frames of functions that fork, which write nothing unneeded

  context saved;
  strand_state state;
  stack* on;  ///< The stack that `saved.sp` points into.
  union {
    resumption way;  ///< Exists while the strand is on its way to another worker.
  };

  /// This strand as a continuation, which exists until the strand goes on.
  resumption& as_resumption() noexcept { return *new (&way) resumption(*this); }
};

/// What a worker does once it has left the stack that it ran on, standing on its scheduler stack.
/// Nothing of the stack that it left may be touched after the announcement: from then on another
/// worker may run there.
struct departure {
  /// Announces to whoever is waiting that this strand has come so far. Returns the strand that the
  /// worker goes on with, because this arrival was the last one, or nullptr.
  suspension* (*announce)(void* argument) noexcept;
  void* argument;
  /// Its stack pointer bounds what is still in use of the stack left; nullptr if nothing is, and
  /// the stack is free.
  const context* stays;
};

/// What a strand begins with.
struct strand_start {
  void (*entry)(void*);  ///< Ends with end_strand().
  void* argument;
  strand_state state;
};

/// Starts a strand on a fresh stack: for continuation::run, on the scheduler stack. Returns when
/// the strand has left.
void start_strand(worker& w, const strand_start& begin) noexcept;

/// The stack pointer for continue_strand(), with `room` bytes between it and the end of the fresh
/// stack: compilers that build the arguments of calls in place find there what they expect in the
/// function's own frame (the linkage region of Pfeiffer 2020, section 4.7). As well aligned as
/// `like`, for over-aligned arguments.
void* fresh_stack_pointer(worker& w, std::size_t room, const void* like) noexcept;

/// Goes on with a stolen function in the middle: its frame stays at s.saved.fp, its calls are made
/// on a fresh stack, from `sp` down. For continuation::run, on the scheduler stack. Returns when
/// the strand has left.
void continue_strand(worker& w, const suspension& s, void* sp) noexcept;

/// Leaves the current stack and lets another strand go on; comes back, maybe on another worker,
/// when somebody resumes `s`.
void suspend_strand(suspension& s, const departure& d) noexcept;

/// Goes on with a suspended strand: for continuation::run, on the scheduler stack. Returns when the
/// strand has left.
void resume_strand(worker& w, suspension& s) noexcept;

/// The calling strand has done what it began with, and begins something else on the same stack,
/// with `s`.
void begin_anew(const strand_state& s) noexcept;

/// Leaves the current stack for good.
[[noreturn]] void end_strand(const departure& d) noexcept;

/// To be called by a strand that has just been continued in the middle of a function, by
/// continue_strand() or because its suspension was announced by another: completes the switch for
/// the sanitizers.
void strand_continued() noexcept;

/// Notes in `s` where the strand of the calling worker stands; its registers are saved already.
void note_strand(suspension& s) noexcept;

/// The stack that the calling strand runs on.
stack* current_stack() noexcept;

/// Frees a stack that a strand has left as one to come back to, and that nobody comes back to.
void free_stack(stack& s) noexcept;

}  // namespace nopal::detail
