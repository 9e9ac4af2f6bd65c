// SPDX-License-Identifier: Apache-2.0
// A thread that is no worker runs its own call here, as a guest of the workers. docs/scheduler.md,
// "Guests", describes it.
#include <sched.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <new>
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "platform/futex.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal::detail {

scheduler_worker* scheduler::guest_comes(guest_thread& t) noexcept {
  const unsigned n = takes_guests_ ? idle_.guest_comes(t.number) : idle::most_guests;
  if (n == idle::most_guests) return nullptr;
  // A guest counts as in flight. The load pairs with close().
  const bool is_open = in_flight_.load(std::memory_order_seq_cst) >= 0;
  scheduler_worker* const w = is_open ? worker_of_guest(n) : nullptr;
  if (w == nullptr) {
    number_is_free(n);
    return nullptr;
  }
  NOPAL_ASSERT(this_worker() == nullptr && w->current == nullptr && w->spare == nullptr);
  t.number = n;
  t.own->call = ++w->stays * idle::most_guests + n;
  w->call.store(t.own->call, std::memory_order_relaxed);
  w->scheduler_context = *t.beside;
  w->scheduler_fiber = *t.fiber_beside;
  become_worker(*w, t.exceptions);
  begin_in_place(*w, *t.own);
  return w;
}

void scheduler::guest_goes(scheduler_worker& w) noexcept {
  NOPAL_ASSERT(w.is_this_worker() && w.is_guest());
  NOPAL_ASSERT(w.handed == nullptr && w.deque.empty() && w.offered.is_closed());
  if (w.current != nullptr) end_in_place(w);
  if (w.last_act != nullptr) std::exchange(w.last_act, nullptr)(w.argument_of_last_act);
  leave_spawned(w);
  supply_.give_up_spare(w);
  resign_worker();
  number_is_free(w.index - worker::first_guest);
}

/// Leaves what the strands of a guest have spawned to the workers: it may last longer than the
/// guest's call.
void scheduler::leave_spawned(scheduler_worker& w) noexcept {
  if (w.spawned.empty()) return;
  while (!w.spawned.empty())
    if (continuation* c = w.spawned.take_oldest()) inbox_.put(c);
  idle_.work_submitted();
}

/// Gives the number of a guest back. Afterwards this object is there because the caller counts as
/// in flight, or because it is that of the default runtime.
void scheduler::number_is_free(unsigned n) noexcept {
  idle_.guest_goes(n);
  // Pairs with the changes in close() and finished().
  if (in_flight_.load(std::memory_order_seq_cst) == closed) tell_if_last();
}

/// Returns the worker that guest `n`, which the caller is, runs; nullptr if there is no memory.
scheduler_worker* scheduler::worker_of_guest(unsigned n) noexcept try {
  // The guest before, which has the same number, has made it.
  if (scheduler_worker* known = guests_[n].load(std::memory_order_relaxed)) return known;
  auto made = std::make_unique<scheduler_worker>(*this, supply_, worker::first_guest + n, 0,
                                                 victims(n, {}, options_.seed));
  supply_.add_guest(*made);
  guests_[n].store(made.get(), std::memory_order_release);  // pairs with one_of()
  return made.release();
} catch (const std::bad_alloc&) {
  return nullptr;
}

/// Returns the worker of one of the guests in `numbers`, another one at each `turn`.
scheduler_worker* scheduler::one_of(std::uint64_t numbers, unsigned turn) const noexcept {
  NOPAL_ASSERT(numbers != 0);
  const auto shift = static_cast<int>(turn % idle::most_guests);
  const auto n = static_cast<unsigned>(std::countr_zero(std::rotr(numbers, shift)) + shift);
  return guests_[n % idle::most_guests].load(std::memory_order_acquire);  // worker_of_guest()
}

void scheduler::help(scheduler_worker& w, bool (*is_back)(const void* argument) noexcept,
                     const void* argument) noexcept {
  load_fp_control(w.scheduler_fp);
  const std::uint64_t own_call = w.call.load(std::memory_order_relaxed);
  run_rest(w);
  while (!is_back(argument)) {
    leave_spawned(w);
    w.call.store(own_call, std::memory_order_relaxed);
    open_home(w);
    continuation* const next = search_as_guest(w, is_back, argument);
    if (next == nullptr) return;
    run(w, *next);
    w.patience.ran_out();
  }
}

/// Returns what guest `w` runs next. Returns nullptr if the strand of its call is back. It returns
/// nullptr as well if it has searched in vain for as long as a worker does before it sleeps, or if
/// no worker has a part of the call: then the strand waits for something else than its forks.
continuation* scheduler::search_as_guest(scheduler_worker& w,
                                         bool (*is_back)(const void* argument) noexcept,
                                         const void* argument) noexcept {
  constexpr unsigned rounds_before_yield = 64;
  constexpr unsigned most_rounds = 512;
  const std::uint64_t call = w.call.load(std::memory_order_relaxed);
  for (unsigned round = 1; round < most_rounds && !is_back(argument); ++round) {
    if (w.offered.holds_offer()) return w.offered.close();
    scheduler_worker& v = *workers_[w.drawn++ % workers()];
    if (v.runs_part_of(call) && !v.deque.looks_empty() && !w.patience.waits())
      if (continuation* c = steal_from(w, v)) return c;
    if (round % rounds_before_yield != 0) {
      cpu_relax();
      continue;
    }
    if (std::ranges::none_of(workers_, [=](auto& o) { return o->runs_part_of(call); })) break;
    sched_yield();
  }
  return w.offered.close();
}

}  // namespace nopal::detail
