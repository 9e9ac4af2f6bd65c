// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

struct scheduler_worker;

/// Makes the calling thread run the code of `w`. For the threads of workers, and for tests that run
/// several on one thread.
void become_worker(scheduler_worker& w) noexcept;

}  // namespace nopal::detail
