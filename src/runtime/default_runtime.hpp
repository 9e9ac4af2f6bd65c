// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

namespace nopal::detail {

class scheduler;

/// The default runtime's, started at first use. In a child of fork(2) it is a fresh one. It counts
/// the caller as a call in flight, who therefore calls finished(): exit(3) ends it, and a thread
/// may come just then.
scheduler& enter_default_scheduler();

/// How many workers the default runtime has; nothing if it has not started, or has ended.
std::optional<unsigned> workers_of_default_runtime() noexcept;

/// While this thread, which is no worker, runs a function that a strand waits for. exit(3) in it
/// does not end the default runtime, whose workers may wait for that strand.
extern constinit thread_local bool a_strand_waits_for_this_thread;

}  // namespace nopal::detail
