// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/strand/strand.hpp"
#include "scheduler/scheduler_worker.hpp"

namespace nopal::detail {

/// On the scheduler stack of w, whose current stack is s.home: goes on with `s`. Returns when that
/// strand has left.
void switch_to(scheduler_worker& w, const suspension& s) noexcept;

/// suspend_strand() without its end: for a strand that goes on on a thread that is no worker.
void leave_worker(suspension& s, const departure& d) noexcept;

}  // namespace nopal::detail
