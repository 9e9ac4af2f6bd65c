// SPDX-License-Identifier: Apache-2.0
// How a front end moves between task stacks and the scheduler stack. The scheduler's side is
// src/strand/strand.cpp.
#pragma once

#include <cstddef>

#include "nopal/detail/platform/context.hpp"
#include "nopal/detail/strand/exception_state.hpp"
#include "nopal/detail/strand/worker.hpp"

namespace nopal::detail {

class stack;

/// A strand that has stopped and can go on, on any worker. It lies on the strand's own stack.
struct suspension {
  context saved;
  alignas(16) exception_state exceptions;
  stack* home;  ///< The stack that `saved.sp` points into.
};

/// What a worker does once it has left the stack it ran on, standing on its scheduler stack.
/// Nothing of the stack that it left may be touched after the announcement: from then on another
/// worker may run there.
struct departure {
  /// Announces to whoever is waiting that this strand has come so far. Returns the strand that the
  /// worker goes on with, because this arrival was the last one, or nullptr.
  suspension* (*announce)(void* argument) noexcept;
  void* argument;
  /// Its stack pointer bounds what is still in use of the stack left; nullptr when nothing is, and
  /// the stack is free.
  const context* stays;
};

/// What a strand begins with.
struct strand_start {
  void (*entry)(void*);  ///< Ends with end_strand().
  void* argument;
  alignas(16) exception_state exceptions;
  fp_control fp;
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

/// Leaves `c`, which the calling worker could go on with, to worker `home`, if that has nothing to
/// do; docs/join.md. Returns whether that is so: the caller has nothing more to do with `c` then.
/// Needs a fresh stack there.
bool sent_home(worker& home, continuation& c) noexcept;

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

/// Carries a thread that is no worker over to the default runtime: returns on one of its workers,
/// on the same stack.
/// \throws what starting the default runtime does.
void enter_default_runtime();

/// The way back: called on the stack that entered, returns on its thread.
void leave_default_runtime() noexcept;

/// Runs f(argument) on the default runtime, from a thread that is no worker; an exception comes
/// back to the caller.
void run_on_default_runtime(void (*f)(void*), void* argument);

}  // namespace nopal::detail
