// SPDX-License-Identifier: Apache-2.0
#include "scheduler/scheduler.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "nopal/detail/platform/fence.hpp"
#include "platform/futex.hpp"
#include "platform/message.hpp"
#include "platform/process_generation.hpp"
#include "scheduler/events.hpp"

namespace nopal::detail {

scheduler::scheduler(const options& o, const machine& m)
    : scheduler(o, m, topology(m.synthetic_topology)) {}

scheduler::scheduler(const options& o, const machine& m, const topology& t)
    : options_(o),
      machine_(m),
      supply_(o, m.stack_limit, m.views),
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
#ifdef NOPAL_CHECK
  noted_.emplace(*this);
#endif
  if (machine_.threads) start_threads();
}

scheduler::~scheduler() {
  if (!belongs_to_this_process()) {
    // The workers run in the parent. Their threads, and so their stacks, are not here, and there is
    // nothing to wait for.
    for (std::thread& t : threads_) t.detach();
#ifdef NOPAL_CHECK
    if (watch_ != nullptr) watch_->leave_to_parent();
#endif
    return;
  }
  if (in_flight_.load(std::memory_order_relaxed) >= 0) end();
}

void scheduler::end() noexcept {
  if (this_worker() != nullptr && this_scheduler_worker().belongs_to == this)
    misuse(
        "a runtime or a claim is being destroyed by one of its own workers, which would wait for "
        "itself for ever. Destroy it outside of what it runs, after run() has returned");
  wait_for_calls();
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
    // The acquire pairs with the release in finished(). It is no release: no other thread has to
    // see anything by this store.
    if (in_flight_.compare_exchange_strong(expected, closed, std::memory_order_acquire,
                                           std::memory_order_relaxed))
      break;
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
  while (continuation* c = inbox_.take()) c->run(*c, *workers_.front());
}

void scheduler::wait_for_calls() noexcept {
  if (is_on_worker_of_this_process()) {
    // The worker belongs to another scheduler, and goes on with other work there.
    ending e{this, this_scheduler_worker().belongs_to, {}};
#ifdef NOPAL_CHECK
    const noted_wait noted({describe_end, this});
#endif
    return suspend_strand(e.caller, {announce_end, &e, &e.caller.saved});
  }
  // `closed` is added first, so that a thread that calls again and again does not keep the workers
  // for ever.
  if (in_flight_.fetch_add(closed, std::memory_order_acq_rel) == 0) return;  // pairs: finished()
#ifdef NOPAL_CHECK
  watch_end();
#else
  while (all_finished_.load(std::memory_order_acquire) == 0)  // pairs with finished()
    futex_wait(all_finished_, 0);
#endif
}

suspension* scheduler::announce_end(void* argument) noexcept {
  auto& e = *static_cast<ending*>(argument);
  scheduler& s = *e.of;
  s.ending_ = &e;
  // The addition pairs with finished(). If something is in flight, the strand may go on elsewhere
  // from here on.
  return s.in_flight_.fetch_add(closed, std::memory_order_acq_rel) == 0 ? &e.caller : nullptr;
}

bool scheduler::belongs_to_this_process() const noexcept {
  return generation_ == process_generation();
}

// What is submitted may have run, and its caller may have called end(), before the last line of
// each of these functions. So end() waits for them as for a call.

void scheduler::submit(continuation& c) noexcept {
  emit<scheduler_events::submitting>();
  started();
  inbox_.put(&c);
  idle_.work_submitted();
  finished();
}

void scheduler::spawn(continuation& c) noexcept {
  if (supply_.views() != nullptr) [[unlikely]]
    stack_views::refuse("what spawns or resumes a function or a task");
  if (worker* caller = this_worker(); caller != nullptr) {
    auto& w = static_cast<scheduler_worker&>(*caller);
    w.count.add(&counts::spawns);
    // No searcher needs to be woken, as at a fork: while this worker is active, a searcher is awake
    // if there is a sleeper.
    if (w.belongs_to == this && w.spawned.push(&c) != deque_fenced::full) return;
  }
  submit(c);
}

void scheduler::submit_resumption(resumption& r) noexcept {
  if (supply_.views() != nullptr) [[unlikely]]
    stack_views::refuse("a wait for something else than a join");
  emit<scheduler_events::submitting>();
  started();
  resumptions_.put(&r);
  idle_.work_submitted();
  finished();
}

void scheduler::submit_to(scheduler_worker& w, continuation& c) noexcept {
  if (supply_.views() != nullptr) [[unlikely]]
    stack_views::refuse("a function for a certain worker");
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
  if (in_flight_.fetch_add(1, std::memory_order_relaxed) >= 0) return true;
  finished();
  return false;
}

void scheduler::finished() noexcept {
  if (in_flight_.fetch_sub(1, std::memory_order_acq_rel) - 1 != closed)
    return;  // pairs with wait_for_calls() and announce_end()
  if (ending_ != nullptr) return ending_->from->submit_resumption(ending_->caller.as_resumption());
  // wait_for_calls() waits for this store and not for the decrement, so the object is still there.
  // After the store it may be gone. At worst some thread is woken for no reason, and every thread
  // that waits allows for that.
  all_finished_.store(1, std::memory_order_release);  // pairs with wait_for_calls()
  futex_wake(all_finished_, 1);
}

void scheduler::stop() noexcept {
  // This store comes before wake_all() reads epochs, and pairs with may_sleep().
  stopping_.store(true, std::memory_order_seq_cst);
  idle_.wake_all();
}

#ifdef NOPAL_CHECK
bool scheduler::work_waits() const noexcept {
  const auto waits = [](const auto& w) {
    return !w->mine.empty() || !w->deque.looks_empty() || !w->spawned.looks_empty();
  };
  return !inbox_.empty() || !resumptions_.empty() || std::ranges::any_of(workers_, waits);
}

bool scheduler::all_run_while_work_waits() const noexcept {
  return idle_.active_workers() == workers() && work_waits();
}

bool scheduler::has_nothing_to_run() const noexcept {
  return !belongs_to_this_process() || (idle_.active_workers() == 0 && !work_waits());
}

std::uint64_t scheduler::stack_switches() const noexcept {
  std::uint64_t all = 0;
  for (const auto& w : workers_) all += w->count.snapshot().stack_switches;
  return all;
}

void scheduler::describe_end(const void* self, char* text, std::size_t bytes) noexcept {
  const auto& s = *static_cast<const scheduler*>(self);
  const std::int64_t scopes = s.scopes.load(std::memory_order_relaxed);
  std::snprintf(text, bytes,
                "the destructor of a runtime or claim, for %lld nopal::task_scope%s of it to end",
                static_cast<long long>(scopes), scopes == 1 ? "" : "s");
}

/// Waits for all_finished_. Meanwhile it looks for what else waits.
void scheduler::watch_end() noexcept {
  const noted_wait noted({describe_end, this});
  while (all_finished_.load(std::memory_order_acquire) == 0) {  // pairs with finished()
    const std::chrono::milliseconds patience = machine_.patience;
    futex_wait_until(all_finished_, 0, std::chrono::steady_clock::now() + patience / 4);
    if (noted_waits* all = noted_waits::of_this_process()) all->look(patience);
  }
}
#endif

statistics scheduler::stats() const {
  statistics all;
  for (const auto& w : workers_) {
    all.per_worker.push_back(w->count.snapshot());
#ifdef NOPAL_COUNT_FORKS
    all.per_worker.back().forks = w->forks.load(std::memory_order_relaxed);
#endif
    all.total += all.per_worker.back();
  }
  all.stacks_in_use = supply_.in_use();
  all.peak_stacks_in_use = supply_.peak_in_use();
  all.unpinned = unpinned_.load(std::memory_order_relaxed);
  all.asymmetric_fences = asymmetric_fences;
  return all;
}

}  // namespace nopal::detail
