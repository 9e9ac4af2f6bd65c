// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "nopal/detail/deque/deque_fenced.hpp"
#include "scheduler/home_slot.hpp"
#include "scheduler/inbox.hpp"
#include "scheduler/victims.hpp"
#include "strand/strand_worker.hpp"

namespace nopal::detail {

class scheduler;

/// A worker with what its search for work needs. Only its own thread touches it, except for the
/// deque, the queue of spawned functions, the slot for strands that come home, the inbox, the cache
/// of stacks and the counts.
struct scheduler_worker : strand_worker {
  scheduler_worker(scheduler& s, stack_supply& stacks, unsigned i, unsigned g, victims v)
      : strand_worker(stacks, i), runtime(&s), group(g), prey(std::move(v)) {}

  scheduler* runtime;
  unsigned group;  ///< NUMA group.
  victims prey;
  back_off<> patience;
#ifdef NOPAL_CHECK
  std::atomic<int> thread{0};  ///< As the system counts threads.
#endif

  home_slot offered;
  inbox mine;  ///< What only this worker is to run. Closed while its thread is elsewhere.
  scheduler* goes_to = nullptr;  ///< Where its thread goes from here.
  /// Functions that its strands have spawned, which are not theirs to wait for: they don't lie on
  /// `deque`, where the newest element is the running strand's. Pushes come in rows, without a pop
  /// at which the owner would answer a thief, so the owner pays for the fence.
  deque_fenced spawned;

  /// What the strand that runs wants done as soon as it has left its stack; see last_act().
  void (*last_act)(void* argument) noexcept = nullptr;
  void* argument_of_last_act = nullptr;
  /// What this worker goes on with next, before it searches; see scheduler::hand_over().
  continuation* handed = nullptr;
  unsigned handed_in_a_row = 0;  ///< Since it searched.
  unsigned taken = 0;            ///< From its queues and inboxes; see scheduler::take_submission().
  /// While it searches beside what it has no stack for; see scheduler::wait_for_stack().
  std::chrono::steady_clock::duration nap = std::chrono::steady_clock::duration::zero();
  std::chrono::steady_clock::time_point stuck_since;
};

inline scheduler_worker& this_scheduler_worker() noexcept {
  return static_cast<scheduler_worker&>(*this_worker());
}

}  // namespace nopal::detail
