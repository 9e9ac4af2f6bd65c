// SPDX-License-Identifier: Apache-2.0
#include "scheduler/scheduler.hpp"

#include <sched.h>

#include <algorithm>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/platform/hook.hpp"
#include "platform/process_generation.hpp"
#include "scheduler/setup.hpp"
#include "strand/switch.hpp"

namespace nopal::detail {

scheduler::scheduler(const options& o, const machine& m)
    : options_(checked(o)),
      machine_(m),
      topology_(m.synthetic_topology),
      idle_(1 + std::ranges::max(topology_.places(), {}, &topology::place::group).group),
      generation_(process_generation()) {
  choose_fences(m.membarrier);
  if (options_.workers == 0) options_.workers = default_workers(topology_);
  if (options_.seed == 0) options_.seed = random_seed();
  const std::vector<std::size_t> places = places_for_workers(topology_, options_.workers);
  for (unsigned i = 0; i < options_.workers; ++i) {
    std::vector<unsigned> distances;
    for (const std::size_t p : places) distances.push_back(topology_.distance(places[i], p));
    const topology::place& place = topology_.places()[places[i]];
    cpus_.push_back(place.cpu);
    workers_.push_back(std::make_unique<scheduler_worker>(*this, i, place.group,
                                                          victims(i, distances, options_.seed)));
  }
  if (machine_.threads) start_threads();
}

scheduler::~scheduler() {
  if (!belongs_to_this_process()) {
    // The workers run in the parent. Their threads, and so their stacks, are not here; nothing can
    // be waited for.
    for (std::thread& t : threads_) t.detach();
    return;
  }
  if (in_flight_.load(std::memory_order_relaxed) >= 0) end();
}

void scheduler::end() noexcept {
  // First, so that a thread that calls again and again does not keep the workers for ever.
  in_flight_.fetch_add(closed, std::memory_order_relaxed);
  for (std::int64_t n;
       (n = in_flight_.load(std::memory_order_acquire)) != closed;)  // pairs with finished()
    in_flight_.wait(n, std::memory_order_acquire);
  stop();
  for (std::thread& t : threads_) t.join();
}

bool scheduler::belongs_to_this_process() const noexcept {
  return generation_ == process_generation();
}

void scheduler::submit(submission& s) noexcept {
  hook(step::submitting);
  // The call may have ended, and its caller this scheduler, before the last line: it waits for this
  // as for a call.
  started();
  (s.resumes ? resumptions_ : inbox_).put(&s);
  idle_.work_submitted();
  finished();
}

void scheduler::submit_to(scheduler_worker& w, submission& s) noexcept {
  hook(step::submitting);
  started();  // as in submit()
  w.mine.put(&s);
  idle_.wake_group(w.group);
  finished();
}

void scheduler::started() noexcept { in_flight_.fetch_add(1, std::memory_order_relaxed); }

bool scheduler::started_unless_ended() noexcept {
  if (in_flight_.fetch_add(1, std::memory_order_relaxed) >= 0) return true;
  finished();
  return false;
}

void scheduler::finished() noexcept {
  if (in_flight_.fetch_sub(1, std::memory_order_acq_rel) - 1 == closed)
    in_flight_.notify_all();  // pairs with end()
}

void scheduler::stop() noexcept {
  stopping_.store(
      true,
      std::memory_order_seq_cst);  // before wake_all() reads epochs; pairs with work_in_sight()
  idle_.wake_all();
}

void scheduler::run(scheduler_worker& w, continuation& c) noexcept {
  c.run(c, w);
  while (suspension* next = settle(w)) resume(w, *next);
}

namespace {

/// A continuation that nobody stole and nobody can take back.
struct orphan : submission {
  orphan() : submission{{run_parent}} {}
  continuation* parent = nullptr;

  static void run_parent(continuation& c, worker& w) noexcept {
    const std::unique_ptr<orphan> self(static_cast<orphan*>(&c));
    continuation& parent = *self->parent;
    parent.run(parent, w);
  }
};

}  // namespace

void scheduler::hand_over_deque(scheduler_worker& w) noexcept {
  while (!w.deque.empty()) {
    std::unique_ptr<orphan> o(new (std::nothrow) orphan);
    if (o == nullptr)
      sched_yield();  // thieves may take it, or memory come back
    else if ((o->parent = w.deque.take_oldest()) != nullptr)
      submit(*o.release());
  }
}

suspension* scheduler::settle(scheduler_worker& w) noexcept {
  stack& left = *w.current;
  w.current = nullptr;
  hook(step::suspending);
  // A strand that stops at a join has nothing left on the deque. One that waits for another runtime
  // may: then every worker may run it, and what runs here next must not find it among its own.
  hand_over_deque(w);
  if (w.leaving.stays != nullptr) {
    left.left_by = &w;
    reclaim(w, left, w.leaving.stays->sp);
  } else {
    release(w, left);
  }
  hook(step::arriving);
  suspension* next = w.leaving.announce(w.leaving.argument);
  hook(step::arrived);
  if (next == nullptr) return nullptr;
  stack& there = *next->home;
  there.strand.stopped = next;
  return sent_home(w, *there.left_by, there.strand) ? nullptr : next;
}

bool scheduler::sent_home(scheduler_worker& w, scheduler_worker& home, continuation& c) noexcept {
  if (&home == &w || !home.offered.offer(c)) return false;
  w.sent_home.add();
  return true;
}

void scheduler::resume(scheduler_worker& w, suspension& s) noexcept {
  hook(step::resuming);
  // The spare was left dirty for the next strand, which is not to begin now.
  if (w.spare != nullptr && !w.spare->unreclaimed) reclaim(w, *w.spare, nullptr);
  if (s.home->left_by != &w) w.foreign_resumptions.add();
  w.current = s.home;
  count_as_used(*s.home);
  switch_to(w, s);
}

stack& scheduler::occupy_spare(scheduler_worker& w) noexcept {
  stack* s = std::exchange(w.spare, nullptr);
  w.current = s;
  count_as_used(*s);
  const std::size_t now = stacks_in_use_.fetch_add(1, std::memory_order_relaxed) + 1;
  for (std::size_t peak = peak_stacks_in_use_.load(std::memory_order_relaxed);
       peak < now &&
       !peak_stacks_in_use_.compare_exchange_weak(peak, now, std::memory_order_relaxed);) {
  }
  return *s;
}

bool scheduler::ensure_spare(scheduler_worker& w) noexcept {
  if (w.spare != nullptr) return true;
  w.spare = w.pool.get();
  for (std::size_t i = 1; w.spare == nullptr && i < workers_.size(); ++i) {
    w.spare = w.pool.get_from(workers_[(w.index + i) % workers_.size()]->pool);
    if (w.spare != nullptr) w.stacks_stolen.add();
  }
  if (w.spare == nullptr &&
      stacks_mapped_.fetch_add(1, std::memory_order_relaxed) < machine_.stack_limit) {
    w.spare = w.pool.map(options_.stack_bytes);
    if (w.spare != nullptr) w.stacks_mapped.add();
  }
  if (w.spare == nullptr) {
    stacks_mapped_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  return true;
}

void scheduler::count_as_used(stack& s) noexcept {
  if (!s.unreclaimed) return;
  s.unreclaimed = false;
  unreclaimed_.fetch_sub(1, std::memory_order_relaxed);
}

void scheduler::release(scheduler_worker& w, stack& s) noexcept {
  stacks_in_use_.fetch_sub(1, std::memory_order_relaxed);
  hook(step::reclaiming);
  if (w.spare == nullptr) {
    w.spare = &s;
    return;
  }
  put_away(w, s);
}

void scheduler::put_away(scheduler_worker& w, stack& s) noexcept {
  if (!s.unreclaimed) reclaim(w, s, nullptr);
  w.pool.put(&s);
}

void scheduler::reclaim(scheduler_worker& w, stack& s, void* live) noexcept {
  hook(step::reclaiming);
  if (s.lent() || !must_reclaim(s, live)) return;
  w.unmaps.add();
  w.pages_given_back.add(s.reclaim(live, options_.reclaim == reclaim_policy::free));
}

bool scheduler::must_reclaim(stack& s, void* live) noexcept {
  if (options_.reclaim != reclaim_policy::adaptive) return options_.reclaim != reclaim_policy::none;
  // docs/stacks.md: as many stacks as there are workers may keep a few stale pages each, whatever
  // the program.
  constexpr std::size_t few_pages = 4;
  if (unreclaimed_.fetch_add(1, std::memory_order_relaxed) <
          static_cast<std::int64_t>(workers_.size()) &&
      s.stale_pages(live) <= few_pages) {
    s.unreclaimed = true;
    return false;
  }
  unreclaimed_.fetch_sub(1, std::memory_order_relaxed);
  return true;
}

std::size_t scheduler::resident_stack_pages() const noexcept {
  std::size_t pages = 0;
  for (const auto& w : workers_)
    w->pool.for_each_mapped([&](const stack& s) { pages += s.resident_pages(); });
  return pages;
}

statistics scheduler::stats() const {
  statistics all;
  for (const auto& w : workers_) {
    all.per_worker.push_back(w->snapshot());
    all.total += all.per_worker.back();
  }
  all.stacks_in_use = stacks_in_use_.load(std::memory_order_relaxed);
  all.peak_stacks_in_use = peak_stacks_in_use_.load(std::memory_order_relaxed);
  all.unpinned = unpinned_.load(std::memory_order_relaxed);
  all.asymmetric_fences = asymmetric_fences;
  return all;
}

}  // namespace nopal::detail
