// SPDX-License-Identifier: Apache-2.0
// This is the loop of a worker's thread, by which it finds what to run.
#include <sched.h>

#include <algorithm>
#include <cstdint>

#include "nopal/detail/platform/ticks.hpp"
#include "nopal/detail/scheduler/outside.hpp"
#include "platform/futex.hpp"
#include "scheduler/events.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal::detail {

constinit std::atomic<bool (*)(bool) noexcept> ask_outside{nullptr};

namespace {

/// Asks io, if it is used, whether events let something go on. A worker that finds nothing else
/// does so now and then, and always before it sleeps.
bool something_came_from_outside(bool before_sleep) noexcept {
  auto* const ask = ask_outside.load(std::memory_order_acquire);  // pairs: start_poller() of io
  return ask != nullptr && ask(before_sleep);
}

/// A guest that comes and goes writes its flag, so few looks read the flags.
constexpr unsigned looks_with_old_guests = 64;

}  // namespace

/// Whether nothing keeps a worker awake that has announced its sleep. The loads pair with submit(),
/// submit_to(), stop() and claims::tell_all().
bool scheduler::may_sleep(const scheduler_worker& w) const noexcept {
  const auto nobody_follows = [](const auto& other) {
    return other->follows.load(std::memory_order_seq_cst) == nullptr;
  };
  return !something_queued(w) && std::ranges::all_of(workers_, nobody_follows) &&
         !stopping_.load(std::memory_order_seq_cst) && !is_to_leave(w, std::memory_order_seq_cst);
}

scheduler* scheduler::run_worker(scheduler_worker& w) noexcept {
  w.scheduler_fp = current_fp_control();
  arrive(w);
  while (continuation* c = search(w)) {
    w.count.add(&counts::wake_ups, idle_.found_work(w.group));
    run(w, *c);
    w.patience.ran_out();
    idle_.lost_work(w.group);
  }
  vacate(w);
  return w.goes_to;
}

/// Returns what `w` runs next. Looks around, again and again, until there is something, and sleeps
/// meanwhile if that takes long.
///
/// Returns nullptr if the worker is to leave, and at the end, when nothing is queued any more that
/// this worker would have to take. If a hinted function has run by one way, its other way may be
/// left in a queue or an inbox, and a worker has to take it to free it.
continuation* scheduler::search(scheduler_worker& w) noexcept {
  constexpr unsigned rounds_before_yield = 64;
  constexpr unsigned rounds_before_sleep = 512;
  // Asking takes a system call.
  constexpr unsigned rounds_before_asking = 16;
  w.handed_in_a_row = 0;
  w.nap = w.nap.zero();
  w.call.store(0, std::memory_order_relaxed);
  // A worker that has just come, and is to leave at once, is offered nothing that would keep it.
  if (!is_to_leave(w, std::memory_order_relaxed)) open_home(w);
  for (unsigned round = 1;; ++round) {
    // This load precedes the look, so the look sees what was queued before the end. The load pairs
    // with stop().
    const bool stops = stopping_.load(std::memory_order_acquire);
    // This comes first: if there is always something to run, a worker would otherwise never leave.
    if (is_to_leave(w, std::memory_order_relaxed)) {
      if (continuation* c = w.offered.close()) return c;
      if (leave(w) != nullptr) return nullptr;
      open_home(w);
    }
    if (continuation* c = look_around(w)) return c;
    const bool for_long = round % rounds_before_sleep == 0 || sleeps_in_stead(w);
    if ((for_long || round % rounds_before_asking == 1) && something_came_from_outside(for_long))
      continue;
    if (continuation* c = for_long ? take_from_homes(w) : nullptr) return c;
    if (stops && !something_queued(w)) return w.offered.close();
    if (emit<scheduler_events::searching>()) continue;
    if ((for_long || w.nap != w.nap.zero()) && lacks_stack(w))
      wait_for_stack(w);
    else if (!for_long && round % rounds_before_yield != 0) {
      cpu_relax();
    } else if (!for_long || options_.idle == idle_policy::busy) {
      sched_yield();
    } else {
      if (continuation* c = w.offered.close()) return c;
      // While this worker sleeps, its spare stack may be the only one left for another worker that
      // found work.
      supply_.give_up_spare(w);
      if (idle_.sleep(w.group, w.index, [&] { return !may_sleep(w); }))
        w.count.add(&counts::sleeps);
      open_home(w);
    }
  }
}

/// Whether `w` is to sleep because more guests are here than workers sleep. It takes what is queued
/// nevertheless, since guests do not.
bool scheduler::sleeps_in_stead(const scheduler_worker& w) const noexcept {
  return w.guests_seen != 0 && w.drawn % looks_with_old_guests == 1 && !idle_.may_steal();
}

/// Looks once wherever something to run may be: at what is offered or submitted to `w`, and at one
/// victim.
continuation* scheduler::look_around(scheduler_worker& w) noexcept {
  if (w.offered.holds_offer() || something_queued(w)) {
    // Nothing may be offered to a worker that has got something to do.
    if (continuation* c = w.offered.close()) return c;
    if (continuation* c = take_submission(w)) return c;
    open_home(w);  // another worker has taken it, or is taking it
  }
  if (continuation* c = take_follower_of_another(w)) return c;
  scheduler_worker* victim = draw_victim(w);
  return victim != nullptr ? steal_from(w, *victim) : nullptr;
}

bool scheduler::something_submitted(const scheduler_worker& w) const noexcept {
  return !resumptions_.empty() || !w.mine.empty() || !inbox_.empty();
}

bool scheduler::something_queued(const scheduler_worker& w) const noexcept {
  return something_submitted(w) || !w.spawned.looks_empty();
}

/// Lets strands be offered to `w`. Some of them need a fresh stack, so the stack is there first,
/// and stays there until close().
void scheduler::open_home(scheduler_worker& w) noexcept {
  if (supply_.ensure_spare(w)) w.offered.open();
}

/// Takes a strand that waits until another worker's strand stops, if it has waited for longer than
/// its way to this worker takes.
continuation* scheduler::take_follower_of_another(scheduler_worker& w) noexcept {
  std::atomic<continuation*>& at = workers_[w.watches]->follows;
  continuation* c = at.load(std::memory_order_relaxed);
  if (c == nullptr || c != w.followed) {
    w.followed = c;
    w.followed_since = ticks();
    if (c == nullptr && ++w.watches == workers()) w.watches = 0;
    return nullptr;
  }
  if (ticks() - w.followed_since < ticks_of_five_microseconds()) return nullptr;
  w.followed = nullptr;
  // Nothing may be offered to a worker that has got something to do.
  if (continuation* offer = w.offered.close()) return offer;
  // The acquire pairs with let_go_on(). The same strand may have been here twice, and is taken just
  // as well.
  if (at.compare_exchange_strong(c, nullptr, std::memory_order_acquire, std::memory_order_relaxed))
    return c;
  open_home(w);
  return nullptr;
}

/// Returns a worker or a guest that seems to have something to steal, or nullptr.
scheduler_worker* scheduler::draw_victim(scheduler_worker& w) noexcept {
  if (w.patience.waits()) return nullptr;
  if (w.drawn++ % looks_with_old_guests == 0) w.guests_seen = idle_.guests();
  scheduler_worker* const drawn = w.guests_seen != 0 && (w.drawn % 2 == 0 || !w.prey.any())
                                      ? one_of(w.guests_seen, w.drawn / 2)
                                  : w.prey.any() ? workers_[w.prey.draw()].get()
                                                 : nullptr;
  const bool has_some =
      drawn != nullptr && !(drawn->deque.looks_empty() && drawn->spawned.looks_empty());
  return has_some ? drawn : nullptr;
}

/// Takes something that was submitted or spawned, for look_around(). Returns nullptr if there is
/// nothing, or no stack to run it on.
continuation* scheduler::take_submission(scheduler_worker& w) noexcept {
  // Strands that have begun go first, but not always: if they signal each other without end, they
  // would keep out what has not begun.
  constexpr unsigned turns = 8;
  const bool begun_first = ++w.taken % turns != 0;
  if (continuation* c = begun_first ? resumptions_.take() : nullptr) return c;
  // If there is no stack to run it on, a continuation stays where it is. Nothing is lost, and other
  // workers may have a stack.
  if (supply_.ensure_spare(w)) {
    if (continuation* c = w.mine.take()) return c;
    if (continuation* c = inbox_.take()) {
      supply_.begin_call(w);
      return c;
    }
    if (continuation* c = w.spawned.take_newest()) return c;
  }
  return begun_first ? nullptr : resumptions_.take();
}

/// Keeps spawned functions on the stack of the one before, as long as nothing else has to be done
/// between them.
continuation* scheduler::next_in_row(scheduler_worker& w) noexcept {
  NOPAL_ASSERT(w.is_this_worker() && w.deque.empty());
  const bool goes_elsewhere = w.is_guest() || is_to_leave(w, std::memory_order_relaxed);
  const bool is_followed = w.follows.load(std::memory_order_relaxed) != nullptr;
  return w.last_act != nullptr || goes_elsewhere || is_followed || something_submitted(w)
             ? nullptr
             : w.spawned.take_newest();
}

/// Takes what was offered to a worker that has had the time to go on with it, but which the system
/// may have stopped.
continuation* scheduler::take_from_homes(scheduler_worker& w) noexcept {
  for (const auto& other : workers_) {
    if (!other->offered.holds_offer() || !supply_.ensure_spare(w)) continue;
    continuation* c = w.offered.close();
    if (c == nullptr) c = other->offered.take();
    if (c != nullptr) return c;
    open_home(w);
  }
  return nullptr;
}

/// Takes more spawned functions, after a thief has taken one. The strand of a stolen fork makes
/// more work, but a spawned function may be short, and for each steal the lines of a cache go from
/// worker to worker. So the thief takes half of the others as well, up to a number that is worth a
/// steal even if each lasts a fraction of a microsecond. Returns the number of the others.
std::int64_t scheduler::steal_more(scheduler_worker& thief, scheduler_worker& victim) noexcept {
  constexpr std::int64_t most = 63;
  const std::int64_t wanted = std::min(most, victim.spawned.looks_to_hold() / 2);
  for (std::int64_t n = 0; n < wanted; ++n) {
    continuation* c = victim.spawned.steal();
    if (c == nullptr) return n;
    thief.count.add(&counts::steals);
    emit<scheduler_events::stolen>(c, victim.index);
    if (thief.spawned.push(c) == deque_fenced::full) inbox_.put(c);
  }
  return std::max<std::int64_t>(wanted, 0);
}

/// Steals from `victim`. The thief's slot stays open while the thief fences, which may take longer
/// than running what it steals.
continuation* scheduler::steal_from(scheduler_worker& thief, scheduler_worker& victim) noexcept {
  if (!idle_.may_steal() || !supply_.ensure_spare(thief)) return nullptr;
  thief.patience.tries();
  const std::uint64_t call = victim.call.load(std::memory_order_relaxed);
  bool closed = false;
  continuation* offer = nullptr;
  fp_control fp{};
  const auto nothing_offered = [&] {
    // The strand that pushed what is about to be claimed runs there as long as nobody claims it.
    fp = victim.strand_fp_control.load(std::memory_order_relaxed);
    // This precedes the claim: as long as nothing is claimed, the victim's strand stays where it
    // is.
    supply_.claiming(thief, victim);
    closed = true;
    offer = thief.offered.close();
    return offer == nullptr;
  };
  const bool forked = !victim.deque.looks_empty();
  if (!forked && thief.is_guest()) return nullptr;
  continuation* c = forked ? victim.deque.steal(nothing_offered, thief.begins_in)
                           : victim.spawned.steal(nothing_offered);
  if (offer != nullptr) return offer;
  if (c == nullptr) {
    thief.count.add(&counts::failed_steals);
    thief.patience.got_nothing();
    if (closed) open_home(thief);
    return nullptr;
  }
  thief.call.store(forked ? call : 0, std::memory_order_relaxed);
  thief.count.add(&counts::steals);
  // The function that it goes on with may be wanted back, as a loop of forks is.
  if (forked) thief.deque.promise_next();
  thief.patience.stole(forked ? 0 : steal_more(thief, victim));
  emit<scheduler_events::stolen>(unmarked(c), victim.index);
  supply_.begin_stolen(thief, *unmarked(c));
  return unmarked(c, fp);  // only now does the thief see the victim's frames, if they are mapped
}

}  // namespace nopal::detail
