// SPDX-License-Identifier: Apache-2.0
// A front end hands a continuation to a worker of its choice by these functions.
#pragma once

#include "nopal/detail/deque/continuation.hpp"

namespace nopal::detail {

struct worker;

/// Has worker `index` of the calling worker's runtime run `c`, once, when that worker has nothing
/// left of its own. If that worker is elsewhere, in a claim or outside of the caller's claim, any
/// worker runs `c`. Whoever submits `c` keeps it alive until it has run. Lock-free;
/// docs/scheduler.md.
void submit_to(unsigned index, continuation& c) noexcept;

/// Whether `index` is the index of the calling worker in its runtime.
/// \throws std::out_of_range if there is no such worker.
bool is_this_worker(unsigned index);

/// Has the calling worker call act(argument) as soon as its strand has left its stack, whether it
/// has ended or was suspended. If an act that was asked for earlier is still to be done, it is done
/// now. countdown::signal_and_end() calls this on a strand, so that the worker itself can go on
/// with whoever waited for the signal.
void last_act(void (*act)(void* argument) noexcept, void* argument) noexcept;

/// Leaves `c`, which the calling worker could go on with, to worker `home`, if that worker has
/// nothing to do and has a fresh stack; docs/join.md. Returns whether that is so: the caller has
/// nothing more to do with `c` then.
bool sent_home(worker& home, continuation& c) noexcept;

}  // namespace nopal::detail
