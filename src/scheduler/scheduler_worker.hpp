// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/context.hpp"
#include "nopal/detail/strand/strand.hpp"
#include "nopal/detail/strand/worker.hpp"
#include "nopal/statistics.hpp"
#include "scheduler/back_off.hpp"
#include "scheduler/home_slot.hpp"
#include "scheduler/inbox.hpp"
#include "scheduler/victims.hpp"
#include "strand/counter.hpp"
#include "strand/fiber.hpp"
#include "strand/stack_cache.hpp"

namespace nopal::detail {

class scheduler;

/// A worker: a thread, its deque, and its stacks. Only its own thread touches it, but for the
/// deque, the pool, the inbox and the counters.
///
/// Its thread's own stack is the scheduler stack: neutral ground, from which a task stack can be
/// handed on, given back to the kernel or freed while nothing runs on it. At any time the thread is
/// either there, in the loop of run_worker(), or on the task stack `current`.
struct scheduler_worker : worker {
  scheduler_worker(scheduler& s, unsigned i, unsigned g, victims v)
      : home(&s), index(i), group(g), prey(std::move(v)) {}

  scheduler* home;
  unsigned index;
  unsigned group;  ///< NUMA group.
  victims prey;
  back_off<> patience;

  context scheduler_context;
  fiber scheduler_fiber;
  stack* current = nullptr;  ///< The stack of the strand that runs; nullptr on the scheduler stack.
  stack* spare = nullptr;    ///< An empty stack for the next strand.
  departure leaving;         ///< What the strand that left `current` wants done.
  bool in_middle =
      false;  ///< A strand was just switched to that has not called strand_continued() yet.

  home_slot offered;

  stack_cache pool;
  inbox mine;  ///< What only this worker is to run.

  counter steals, failed_steals, suspensions, foreign_resumptions, sent_home, stack_switches,
      stacks_mapped, stacks_stolen, unmaps, pages_given_back, sleeps, wake_ups;

  [[nodiscard]] counts snapshot() const noexcept;
};

inline scheduler_worker& this_scheduler_worker() noexcept {
  return static_cast<scheduler_worker&>(*this_worker());
}

}  // namespace nopal::detail
