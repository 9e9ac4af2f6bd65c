// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

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
      : strand_worker(stacks, i), belongs_to(&s), group(g), prey(std::move(v)) {}

  /// Leaves `c`, which this worker could go on with, to the worker where its strand was before,
  /// which has it in its caches. Returns whether that is another one, and takes it; see
  /// sent_home(). If not, this worker goes on with `c`.
  /// \param of_call  the number of the guest's call that the strand is a part of, or 0.
  bool leaves_to(scheduler_worker& home, continuation& c, std::uint64_t of_call) noexcept {
    if (&home == this || !home.takes_part_of(of_call) || !home.offered.offer(c)) return false;
    count.add(&counts::sent_home);
    return true;
  }

  [[nodiscard]] bool is_guest() const noexcept { return index >= first_guest; }

  /// Whether the strand of this worker is a part of the call `which`. Any worker may call this; the
  /// answer is a hint.
  [[nodiscard]] bool runs_part_of(std::uint64_t which) const noexcept {
    return call.load(std::memory_order_relaxed) == which;
  }
  /// Whether this worker goes on with a strand that is a part of `which`. A guest does so only if
  /// that is its own call.
  [[nodiscard]] bool takes_part_of(std::uint64_t which) const noexcept {
    return !is_guest() || runs_part_of(which);
  }

  scheduler* belongs_to;
  unsigned group;  ///< Its NUMA group.
  victims prey;
  back_off<> patience;
#ifdef NOPAL_CHECK
  std::atomic<int> thread{0};  ///< The number of its thread in the system.
#endif

  home_slot offered;
  inbox mine;  ///< What only this worker is to run. Closed while its thread is elsewhere.
  scheduler* goes_to = nullptr;  ///< The scheduler to which its thread goes from here.
  /// Functions that its strands have spawned. Those strands do not wait for them, so they do not
  /// lie on `deque`, where the newest continuation is the running strand's. Pushes come in rows,
  /// without a pop at which the owner would answer a thief, so the owner pays for the fence.
  deque_fenced spawned;

  /// What the strand that runs wants done as soon as it has left its stack; see last_act().
  void (*last_act)(void* argument) noexcept = nullptr;
  void* argument_of_last_act = nullptr;
  /// What this worker goes on with next, before it searches; see scheduler::hand_over().
  continuation* handed = nullptr;
  /// The strand that the one running here has let go on last. The worker goes on with it when its
  /// own strand stops, and a thief when it has waited here; see scheduler::let_go_on().
  alignas(cache_line) std::atomic<continuation*> follows{nullptr};
  /// The strand that this worker has seen at another one when it last looked, and since when.
  const continuation* followed = nullptr;
  std::uint64_t followed_since = 0;
  unsigned watches = 0;  ///< The index of that other worker.
  /// How many it has gone on with in a row since it searched.
  unsigned handed_in_a_row = 0;
  /// How often it has looked into its queues and inboxes; see scheduler::take_submission().
  unsigned taken = 0;
  /// How often it has drawn a victim, and the guests that were here when it last looked; see
  /// scheduler::draw_victim().
  unsigned drawn = 0;
  /// How often a guest has come to this; 0 for a worker. See scheduler::guest_comes().
  std::uint64_t stays = 0;
  std::uint64_t guests_seen = 0;
  /// These are for a search beside something that the worker has no stack for; see
  /// scheduler::wait_for_stack().
  std::chrono::steady_clock::duration nap = std::chrono::steady_clock::duration::zero();
  std::chrono::steady_clock::time_point stuck_since;
};

inline scheduler_worker& this_scheduler_worker() noexcept {
  return static_cast<scheduler_worker&>(*this_worker());
}

}  // namespace nopal::detail
