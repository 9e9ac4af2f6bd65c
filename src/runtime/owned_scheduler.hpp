// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scheduler/scheduler.hpp"

namespace nopal::detail {

/// A scheduler that waits for all work in flight before it ends.
class owned_scheduler : public scheduler {
 public:
  using scheduler::scheduler;
  ~owned_scheduler();  ///< Calls end() if nobody has, but not in a child of fork(2).

  /// Waits for all work in flight and ends the workers. A strand of another scheduler is suspended
  /// meanwhile. Called at most once, and by none of its own workers.
  void end() noexcept;

 private:
  void wait_for_calls() noexcept;
};

}  // namespace nopal::detail
