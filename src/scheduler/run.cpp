// SPDX-License-Identifier: Apache-2.0
// A worker runs what it has found until nothing is left of it. It switches to a strand. When the
// strand has left its stack, the worker settles what the strand wants done, announces its arrival,
// and goes on with the strand for which this arrival was the last, if there is one.
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "scheduler/events.hpp"
#include "scheduler/leave_in_scope.hpp"
#include "scheduler/scheduler.hpp"
#include "strand/events.hpp"

namespace nopal::detail {
namespace {

// Strands that hand the worker to each other without end would keep it from everything else.
constexpr unsigned most_in_a_row = 64;

}  // namespace

void scheduler::run(scheduler_worker& w, continuation& c) noexcept {
  NOPAL_ASSERT(w.offered.is_closed());  // nobody may give it a second strand
  c.run_on(w);
  w.begins_in = nullptr;  // it may have found nothing to do
  run_rest(w);
}

/// Runs what is left of what `w` has found: what its strand wants done, if one has left its stack
/// just now, and what follows from that.
void scheduler::run_rest(scheduler_worker& w) noexcept {
  for (;;) {
    // A continuation may have found nothing to do, and started no strand.
    while (w.current != nullptr)
      if (suspension* strand = settle(w)) resume_strand(w, *strand);
    continuation* next = std::exchange(w.handed, nullptr);
    if (next == nullptr) next = take_follower(w);
    if (next == nullptr) return;
    next->run_on(w);
  }
}

/// Settles what the strand that ran on `w`, and has left its stack, wants done. Returns the strand
/// that w goes on with, if any.
suspension* scheduler::settle(scheduler_worker& w) noexcept {
  NOPAL_ASSERT(w.current != nullptr);
  stack& left = *w.current;
  w.current = nullptr;
  emit_of<strand_events::suspending>(left.id, w.leaving.stays == nullptr);
  hand_over_deque(w);
  if (w.leaving.stays != nullptr)
    supply_.leave(w, left, w.leaving.stays->sp);
  else
    supply_.release(w, left);
  suspension* next = announce_arrival(w);
  if (w.last_act == nullptr) [[likely]]
    return next;
  // This precedes the act, which would otherwise have this worker go on with something else.
  if (next != nullptr) w.handed = &next->as_resumption();
  std::exchange(w.last_act, nullptr)(w.argument_of_last_act);
  return nullptr;
}

/// Returns the strand for which this was the last arrival, unless its home takes it.
suspension* scheduler::announce_arrival(scheduler_worker& w) noexcept {
  emit<strand_events::arriving>();
  suspension* next = w.leaving.announce(w.leaving.argument);
  emit<strand_events::arrived>(next != nullptr);
  if (next == nullptr) return nullptr;
  NOPAL_ASSERT(next->on->left_by != nullptr);  // leave() has set it before the announcement
  if (!w.takes_part_of(next->on->call)) {
    submit_resumption(next->as_resumption());
    return nullptr;
  }
  // The worker that arrived last sees the strand, and its home perhaps does not.
  if (!supply_.is_shared()) return next;
  auto& home = static_cast<scheduler_worker&>(*next->on->left_by);
  return w.leaves_to(home, next->as_resumption(), next->on->call) ? nullptr : next;
}

/// Hands over what the strand that has left its stack has on the deque. A strand that stops at a
/// join has nothing left there. One that waits for something else may have: then every worker may
/// run it, and the strand that runs here next must not find it among its own.
///
/// All of it is handed over in one batch. Each round takes a continuation off the deque, or finds
/// that a thief has taken it; nobody else pushes. So this is wait-free, except that strands in one
/// scope may repeat a compare-and-swap in leave_in_scope().
void scheduler::hand_over_deque(scheduler_worker& w) noexcept {
  continuation* newest = nullptr;
  continuation* oldest = nullptr;
  while (!w.deque.empty()) {
    stop_scope* of = nullptr;
    continuation* c = w.deque.take_oldest(of);
    if (c == nullptr) continue;
    c = unmarked(c, w.strand_fp_control.load(std::memory_order_relaxed));
    if (of != nullptr) c = leave_in_scope(*of, *c);
    if (c == nullptr) continue;
    c->next = newest;
    newest = c;
    if (oldest == nullptr) oldest = c;
  }
  if (newest == nullptr) return;
  supply_.require_shared("a wait for something else than a join, between a fork and its join,");
  emit<scheduler_events::submitting>();
  inbox_.put_chain(newest, oldest);
  idle_.work_submitted();
}

/// Takes the strand that follows the one that has stopped on `w`.
continuation* scheduler::take_follower(scheduler_worker& w) noexcept {
  if (w.follows.load(std::memory_order_relaxed) == nullptr) return nullptr;
  // The acquire pairs with the exchange in let_go_on() of a strand that ran on another thread. A
  // thief may have taken it.
  continuation* c = w.follows.exchange(nullptr, std::memory_order_acquire);
  if (c == nullptr) return nullptr;
  if (++w.handed_in_a_row > most_in_a_row) {
    resumptions_.put(c);  // behind the others; this worker searches now
    return nullptr;
  }
  w.call.store(0, std::memory_order_relaxed);
  return c;
}

bool scheduler::hand_over(scheduler_worker& w, continuation& c, bool needs_stack) noexcept {
  NOPAL_ASSERT(w.is_this_worker());
  // A worker on a strand's stack calls this if last_act() does an earlier act at once. It goes on
  // with that strand.
  if (w.current != nullptr || w.handed != nullptr || w.is_guest()) return false;
  if (++w.handed_in_a_row > most_in_a_row) return false;
  if (needs_stack && !supply_.ensure_spare(w)) return false;
  w.call.store(0, std::memory_order_relaxed);
  w.handed = &c;
  return true;
}

}  // namespace nopal::detail
