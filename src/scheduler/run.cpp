// SPDX-License-Identifier: Apache-2.0
// A worker runs what it has found until nothing is left of it. It switches to a strand. When the
// strand has left its stack, the worker settles what the strand wants done, announces its arrival,
// and goes on with the strand for which this arrival was the last, if there is one.
#include <stdexcept>
#include <string>
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/scheduler/submission.hpp"
#include "scheduler/events.hpp"
#include "scheduler/scheduler.hpp"
#include "strand/events.hpp"

namespace nopal::detail {
namespace {

bool offered_to(scheduler_worker& home, scheduler_worker& w, continuation& c) noexcept {
  if (&home == &w || !home.offered.offer(c)) return false;
  w.count.add(&counts::sent_home);
  return true;
}

}  // namespace

void scheduler::run(scheduler_worker& w, continuation& c) noexcept {
  NOPAL_ASSERT(w.offered.is_closed());  // nobody may give it a second strand
  for (continuation* next = &c; next != nullptr; next = std::exchange(w.handed, nullptr)) {
    next->run(*next, w);
    // A continuation may have found nothing to do, and started no strand.
    while (w.current != nullptr)
      if (suspension* strand = settle(w)) resume_strand(w, *strand);
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
  // The worker that arrived last sees the strand, and its home perhaps does not.
  if (!supply_.is_shared()) return next;
  auto& home = static_cast<scheduler_worker&>(*next->on->left_by);
  return offered_to(home, w, next->as_resumption()) ? nullptr : next;
}

/// Hands over what the strand that has left its stack has on the deque. A strand that stops at a
/// join has nothing left there. One that waits for something else may have: then every worker may
/// run it, and the strand that runs here next must not find it among its own.
///
/// All of it is handed over in one batch. This is wait-free: each round takes a continuation off
/// the deque, or finds that a thief has taken it; nobody else pushes.
void scheduler::hand_over_deque(scheduler_worker& w) noexcept {
  continuation* newest = nullptr;
  continuation* oldest = nullptr;
  while (!w.deque.empty()) {
    continuation* c = w.deque.take_oldest();
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

bool scheduler::hand_over(scheduler_worker& w, continuation& c, bool needs_stack) noexcept {
  NOPAL_ASSERT(w.is_this_worker());
  // If the worker is on a strand's stack, an act is done early because a second one takes its
  // place; see last_act().
  if (w.current != nullptr || w.handed != nullptr) return false;
  // Strands that hand the worker to each other without end would keep it from everything else.
  constexpr unsigned most_in_a_row = 64;
  if (++w.handed_in_a_row > most_in_a_row) return false;
  if (needs_stack && !supply_.ensure_spare(w)) return false;
  w.handed = &c;
  return true;
}

void last_act(void (*act)(void* argument) noexcept, void* argument) noexcept {
  scheduler_worker& w = this_scheduler_worker();
  if (w.last_act != nullptr) std::exchange(w.last_act, nullptr)(w.argument_of_last_act);
  w.last_act = act;
  w.argument_of_last_act = argument;
}

bool sent_home(worker& home, continuation& c) noexcept {
  return offered_to(static_cast<scheduler_worker&>(home), this_scheduler_worker(), c);
}

void submit_to(unsigned index, continuation& c) noexcept {
  scheduler& s = *this_scheduler_worker().belongs_to;
  s.submit_to(s.worker_at(index), c);
}

bool is_this_worker(unsigned index) {
  const scheduler_worker& w = this_scheduler_worker();
  w.belongs_to->require_worker(index);
  return index == w.index;
}

void scheduler::require_worker(unsigned index) const {
  if (index >= workers())
    throw std::out_of_range("nopal: there is no worker " + std::to_string(index) +
                            "; this runtime has " + std::to_string(workers()) + ", counted from 0");
}

}  // namespace nopal::detail
