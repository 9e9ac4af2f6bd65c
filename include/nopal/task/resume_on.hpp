// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/resume_on.hpp"
#else

#include "nopal/detail/task/resume_on_awaiter.hpp"

namespace nopal {

/// co_await resume_on(i) goes on with the task on worker i of its runtime, as soon as that worker
/// has nothing left of what it is doing; at once if it is the calling worker. Afterwards a fork, a
/// call or a join may take the task elsewhere again. It is for code that only a certain thread may
/// run.
/// \code
/// nopal::task<> by_worker_0() {
///   co_await nopal::resume_on(0);
///   // This runs on the thread of worker 0.
/// }
/// \endcode
///
/// \param worker  index of a worker, from 0. If that worker is in a claim and the task is not, or
/// the other way round, any worker goes on with the task.
/// \throws std::out_of_range, from co_await, if the runtime has no such worker.
/// Thread-safety: any task may await it.
/// Complexity: lock-free; it wakes the worker if that sleeps.
/// Source: Williams and Elliott 2024, section III-D1.
[[nodiscard(
    "nopal: it takes place where it is awaited: co_await nopal::resume_on(i)")]] inline detail::
    resume_on_expression
    resume_on(unsigned worker) noexcept {
  return {worker};
}

}  // namespace nopal

#endif
