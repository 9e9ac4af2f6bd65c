// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "platform/broken_invariant.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal::detail {

/// A strand that called fork(2) goes on in the child, alone: forks work, since nobody steals. But
/// where a continuation had been stolen before, the strand that runs it is in the parent only, and
/// waiting for it would be for ever.
inline void refuse_in_child_of_fork(const scheduler& s) noexcept {
  if (!s.belongs_to_this_process())
    broken_invariant(
        "a child of fork(2) came to a join whose other branch runs in the parent process. Call "
        "fork(2) outside of parallel "
        "code, or exec or _exit in the child before the next join");
}

}  // namespace nopal::detail
