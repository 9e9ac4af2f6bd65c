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
    // A suspension lies in the frames of functions that fork, and those write nothing unneeded.
  }

  context saved;
  strand_state state;
  stack* on;  ///< The stack that `saved.sp` points into.
  union {
    resumption way;  ///< Exists while the strand is on its way to another worker.
  };

  /// This strand as a continuation, which exists until the strand goes on.
  resumption& as_resumption() noexcept { return *new (&way) resumption(*this); }
};

/// What a worker does once it has left the stack that it ran on, and is on its scheduler stack.
/// Nothing of the stack that it left may be touched after the announcement: from then on another
/// worker may run there.
struct departure {
  /// Announces to whoever is waiting that this strand has stopped or ended. Returns the strand that
  /// the worker goes on with, because this arrival was the last one, or nullptr.
  suspension* (*announce)(void* argument) noexcept;
  void* argument;
  /// The part of the stack above this stack pointer is still in use. nullptr if nothing is, and the
  /// stack is free.
  const context* stays;
};

/// What a new strand runs, and the state that it begins with.
struct strand_start {
  void (*entry)(void*);  ///< Ends with end_strand().
  void* argument;
  strand_state state;
};

/// Starts a strand on a fresh stack. A continuation's `run` calls this on the scheduler stack.
/// Returns when the strand has left.
void start_strand(worker& w, const strand_start& begin) noexcept;

/// Returns the stack pointer for continue_strand(), with `room` bytes between it and the end of the
/// fresh stack. Compilers that build the arguments of calls in place find there what they expect in
/// the function's own frame (the linkage region of Pfeiffer 2020, section 4.7). It is as well
/// aligned as `like`, for over-aligned arguments.
void* fresh_stack_pointer(worker& w, std::size_t room, const void* like) noexcept;

/// Goes on with a stolen function in the middle: its frame stays at s.saved.fp, its calls are made
/// on a fresh stack, from `sp` down. A continuation's `run` calls this on the scheduler stack.
/// Returns when the strand has left.
void continue_strand(worker& w, const suspension& s, void* sp) noexcept;

/// Leaves the current stack and lets another strand go on; comes back, maybe on another worker,
/// when somebody resumes `s`.
void suspend_strand(suspension& s, const departure& d) noexcept;

/// Goes on with a suspended strand. A continuation's `run` calls this on the scheduler stack.
/// Returns when the strand has left.
void resume_strand(worker& w, suspension& s) noexcept;

/// Lets the calling strand, which has done what it began with, begin something else with the state
/// `s` on the same stack. A row of spawned functions does so between two of them.
void begin_anew(const strand_state& s) noexcept;

/// Leaves the current stack for good.
[[noreturn]] void end_strand(const departure& d) noexcept;

/// Completes the switch for the sanitizers. A strand calls this when it has just been continued in
/// the middle of a function: by continue_strand(), or because another has announced its suspension.
void strand_continued() noexcept;

/// Notes in `s` the state of the strand of the calling worker. Its registers are saved already.
void note_strand(suspension& s) noexcept;

/// Returns the stack that the calling strand runs on.
stack* current_stack() noexcept;

/// Frees a stack to which a strand meant to come back, and to which nobody comes back.
void free_stack(stack& s) noexcept;

}  // namespace nopal::detail
