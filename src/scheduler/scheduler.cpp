// SPDX-License-Identifier: Apache-2.0
#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "platform/message.hpp"
#include "platform/process_generation.hpp"
#include "platform/threads/forget_thread.hpp"
#include "scheduler/events.hpp"

namespace nopal::detail {

scheduler::scheduler(const options& o, const machine& m)
    : scheduler(o, m, topology(m.synthetic_topology)) {}

scheduler::scheduler(const options& o, const machine& m, const topology& t)
    : options_(o),
      machine_(m),
      supply_(o, m.stack_limit, m.strategy),
      idle_(1 + std::ranges::max(t.places(), {}, &topology::place::group).group),
      generation_(process_generation()) {
  choose_fences(m.membarrier);
  if (options_.workers == 0) options_.workers = default_workers(t);
  if (options_.seed == 0) options_.seed = random_seed();
  const std::vector<std::size_t> places = places_for_workers(t, options_.workers);
  for (unsigned i = 0; i < options_.workers; ++i) {
    std::vector<unsigned> distances;
    for (const std::size_t p : places) distances.push_back(t.distance(places[i], p));
    const topology::place& place = t.places()[places[i]];
    cpus_.push_back(place.cpu);
    workers_.push_back(std::make_unique<scheduler_worker>(*this, supply_, i, place.group,
                                                          victims(i, distances, options_.seed)));
    supply_.add(*workers_.back(), nearest_first(i, distances));
  }
  supply_.provide_first(*workers_.front());
  claims_ = std::make_shared<claims>(*this);
  takes_guests_ = options_.caller_works && options_.idle == idle_policy::lazy && machine_.threads &&
                  supply_.is_shared();
#ifdef NOPAL_CHECK
  noted_.emplace(*this);
#endif
  if (machine_.threads) start_threads();
}

scheduler::~scheduler() {
  for (auto& g : guests_) delete g.load(std::memory_order_relaxed);
  if (!belongs_to_this_process()) {
    // The workers run in the parent. Their threads, and so their stacks, are not here, and there is
    // nothing to wait for.
    for (std::thread& t : threads_) forget_thread(t);
#ifdef NOPAL_CHECK
    if (watch_ != nullptr) watch_->leave_to_parent();
#endif
    return;
  }
  NOPAL_ASSERT(is_closed());
}

bool scheduler::close(void (*done)(void* argument) noexcept, void* argument) noexcept {
  argument_of_done_ = argument;
  done_.store(done, std::memory_order_relaxed);  // the next change releases it
  // This releases for, and acquires from, finished(), and pairs with guests. `closed` is added
  // before anybody waits, so that a thread that calls again and again does not keep the workers for
  // ever.
  if (in_flight_.fetch_add(closed, std::memory_order_seq_cst) != 0) return true;
  // Only guests may be here, and the last of them may have told.
  return !(nothing_in_flight() && done_.exchange(nullptr, std::memory_order_relaxed) != nullptr);
}

/// Whether this, which is closed, has neither guests nor anything else in flight.
///
/// A guest of the default runtime is in flight without being counted. It comes and goes by a change
/// of its flag, and then reads the count; others change the count, and then read the flags. A
/// guest whose call waits counts it before it goes. So the count is read after the flags.
bool scheduler::nothing_in_flight() const noexcept {
  return idle_.guests() == 0 && in_flight_.load(std::memory_order_seq_cst) == closed;
}

/// Calls what waits for the end of all that is in flight, if this is the end. The caller has seen
/// the count of a closed scheduler in which nothing is in flight.
///
/// Several may come here at once in the default runtime, which outlives them. If a runtime of the
/// program is closed, whose guests are counted, only the call that brings the count down comes
/// here.
void scheduler::tell_if_last() noexcept {
  if (!nothing_in_flight()) return;
  // The acquire is for the argument: pairs with close(). After the call this object may be gone.
  if (auto* const done = done_.exchange(nullptr, std::memory_order_acquire))
    done(argument_of_done_);
}

/// The load is relaxed: the caller asks about what it has done itself.
bool scheduler::is_closed() const noexcept {
  return in_flight_.load(std::memory_order_relaxed) < 0;
}

void scheduler::end_workers() noexcept {
  if (&claims_->runtime() != this) {
    claims_->close(*this);
    free_second_ways();
    return;
  }
  if (claims_->any())
    misuse("a runtime is being destroyed while a claim of it lives. Destroy the claim first");
#ifdef NOPAL_CHECK
  watch_.reset();
#endif
  end_threads();
}

void scheduler::end_if_idle() noexcept {
  if (claims_->any()) return;
  // A call that has returned is in flight for a moment more: see finished(). What is in flight
  // after a tenth of a second goes on.
  constexpr int most_turns = 100;
  for (int turn = 0;; ++turn) {
    std::int64_t expected = 0;
    // The acquire pairs with the release in finished(). The order is the one of close().
    if (in_flight_.compare_exchange_strong(expected, closed, std::memory_order_seq_cst,
                                           std::memory_order_relaxed)) {
      if (nothing_in_flight()) break;
      in_flight_.fetch_sub(closed, std::memory_order_relaxed);  // a guest is here
    }
    if (expected < 0 || turn == most_turns) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
#ifdef NOPAL_CHECK
  watch_.reset();
#endif
  end_threads();
}

/// Frees what is left in the inbox of a claim that no worker is in any more. Nothing is in flight,
/// so its workers have left only second ways of hinted functions. These start no strand, whichever
/// worker runs them.
void scheduler::free_second_ways() noexcept {
  while (continuation* c = inbox_.take()) c->run_on(*workers_.front());
}

bool scheduler::belongs_to_this_process() const noexcept {
  return generation_ == process_generation();
}

// What is submitted may have run, and its caller may have called close(), before the last line of
// each of these functions. So each counts as in flight itself, as a call does.

void scheduler::submit(continuation& c) noexcept {
  emit<scheduler_events::submitting>();
  started();
  inbox_.put(&c);
  idle_.work_submitted();
  finished();
}

void scheduler::submit_detached(continuation& c) noexcept {
  supply_.require_shared("what spawns or resumes a function or a task");
  submit(c);
}

void scheduler::spawn(continuation& f) noexcept {
  supply_.require_shared("what spawns or resumes a function or a task");
  if (worker* caller = this_worker(); caller != nullptr) {
    auto& w = static_cast<scheduler_worker&>(*caller);
    w.count.add(&counts::spawns);
    // No searcher needs to be woken, as at a fork: while this worker is active, a searcher is awake
    // if there is a sleeper.
    if (w.belongs_to == this && w.spawned.push(&f) != deque_fenced::full) return;
  }
  submit(f);
}

void scheduler::let_go_on(resumption& r) noexcept {
  if (!is_on_worker_of_this_process()) return submit_resumption(r);
  scheduler_worker& w = this_scheduler_worker();
  if (w.belongs_to != this || w.current == nullptr || w.is_guest()) return submit_resumption(r);
  supply_.require_shared("a wait for something else than a join");
  emit<scheduler_events::submitting>();
  // As in inbox::put(): if no searcher is seen awake, every worker that goes to sleep later sees
  // `r`. The release is for whoever takes it.
  continuation* const before = w.follows.exchange(&r, std::memory_order_seq_cst);
  if (before != nullptr) resumptions_.put(before);
  idle_.work_submitted();
}

void scheduler::submit_resumption(resumption& r) noexcept {
  supply_.require_shared("a wait for something else than a join");
  emit<scheduler_events::submitting>();
  started();
  resumptions_.put(&r);
  idle_.work_submitted();
  finished();
}

void scheduler::submit_to(scheduler_worker& w, continuation& c) noexcept {
  supply_.require_shared("a function for a certain worker");
  emit<scheduler_events::submitting>();
  started();
  if (w.mine.put_if_open(&c)) {
    idle_.wake_worker(w.group, w.index);
  } else {
    inbox_.put(&c);
    idle_.work_submitted();
  }
  finished();
}

void scheduler::started() noexcept { in_flight_.fetch_add(1, std::memory_order_relaxed); }

bool scheduler::started_unless_ended() noexcept {
  std::int64_t calls = in_flight_.load(std::memory_order_relaxed);
  while (calls >= 0)
    if (in_flight_.compare_exchange_weak(calls, calls + 1, std::memory_order_relaxed)) return true;
  return false;
}

void scheduler::finished() noexcept {
  // This releases for, and acquires from, the other calls and close(), and pairs with guests.
  if (in_flight_.fetch_sub(1, std::memory_order_seq_cst) - 1 == closed) tell_if_last();
}

void scheduler::stop() noexcept {
  // This store comes before wake_all() reads epochs, and pairs with may_sleep().
  stopping_.store(true, std::memory_order_seq_cst);
  idle_.wake_all();
}

#ifdef NOPAL_CHECK
/// Whether something is there for a worker to take. The answer is a hint, for the watch.
bool scheduler::work_waits() const noexcept {
  const auto waits = [](const auto& w) {
    return !w->mine.empty() || !w->deque.looks_empty() || !w->spawned.looks_empty();
  };
  return !inbox_.empty() || !resumptions_.empty() || std::ranges::any_of(workers_, waits);
}

bool scheduler::all_run_while_work_waits() const noexcept {
  return idle_.active_workers() >= workers() && work_waits();
}

bool scheduler::has_nothing_to_run() const noexcept {
  return !belongs_to_this_process() || (idle_.active_workers() == 0 && !work_waits());
}

std::uint64_t scheduler::stack_switches() const noexcept {
  std::uint64_t all = 0;
  for (const auto& w : workers_) all += w->count.snapshot().stack_switches;
  for (const auto& g : guests_)
    if (const scheduler_worker* w = g.load(std::memory_order_acquire))  // worker_of_guest()
      all += w->count.snapshot().stack_switches;
  return all;
}

#endif

statistics scheduler::stats() const {
  statistics all;
  const auto counts_of = [](const scheduler_worker& w) {
    counts of_worker = w.count.snapshot();
#ifdef NOPAL_COUNT_FORKS
    of_worker.forks = w.forks.load(std::memory_order_relaxed);
#endif
    return of_worker;
  };
  for (const auto& w : workers_) {
    all.per_worker.push_back(counts_of(*w));
    all.total += all.per_worker.back();
  }
  for (const auto& g : guests_)
    if (const scheduler_worker* w = g.load(std::memory_order_acquire))  // worker_of_guest()
      all.total += counts_of(*w);
  all.stacks_in_use = supply_.in_use();
  all.peak_stacks_in_use = supply_.peak_in_use();
  all.unpinned = unpinned_.load(std::memory_order_relaxed);
  all.asymmetric_fences = asymmetric_fences;
  return all;
}

}  // namespace nopal::detail
