// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "nopal/options.hpp"
#include "nopal/statistics.hpp"
#include "platform/topology.hpp"
#include "scheduler/claims/claims.hpp"
#include "scheduler/idle.hpp"
#include "scheduler/inbox.hpp"
#include "scheduler/scheduler_worker.hpp"
#include "strand/stack_supply.hpp"
#ifdef NOPAL_CHECK
#include <chrono>
#include <optional>

#include "scheduler/watch/noted_waits.hpp"
#include "scheduler/watch/watch.hpp"
#endif

namespace nopal::detail {

/// What tests and nopal::mapped replace of the machine.
struct machine {
  std::string synthetic_topology = {};  ///< hwloc's description; empty: this machine.
  bool membarrier = true;               ///< false: as on a kernel without membarrier.
  std::size_t stack_limit = SIZE_MAX;   ///< How many stacks the system gives.
  bool threads = true;                  ///< false: the test itself calls run_worker().
  unsigned thread_limit = ~0U;          ///< How many threads there is memory for.
  stack_strategy* strategy = nullptr;   ///< nullptr: every worker sees every stack.
#ifdef NOPAL_CHECK
  std::chrono::milliseconds patience = std::chrono::seconds(10);  ///< How long the watch waits.
#endif
};

/// Returns the message for the case that the system starts no more workers after `started` of
/// `wanted`.
/// \param what  what each of them is: "thread".
std::string no_more_started(const std::string& what, unsigned started, unsigned wanted);

/// A thread that may be a guest.
struct guest_thread {
  stack* own;                   ///< Its own stack.
  const context* beside;        ///< Where it goes on when a strand has left its stack.
  const fiber* fiber_beside;    ///< The stack that `beside` is on.
  exception_state* exceptions;  ///< Its state.
  unsigned number;              ///< The number that it had last, or is to try first.
};

/// The workers of one runtime or of one of its claims, and what they share. An owned_scheduler
/// waits for all work in flight before it ends.
class scheduler {
 public:
  explicit scheduler(const options& o, const machine& m = {});

  /// Makes the scheduler of a claim, with a seat for each worker of the runtime of `lent_by`, by
  /// the same index. The threads are those of the runtime, and come and go as `lent_by` says.
  explicit scheduler(std::shared_ptr<claims> lent_by);

  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  /// Has a worker run `c`, once, on a fresh stack. Any thread may call this. Lock-free.
  void submit(continuation& c) noexcept;
  /// Does the same with what nobody outside waits for. Ends the program, with a message, unless
  /// every worker sees every stack.
  void submit_detached(continuation& c) noexcept;

  /// Has a worker run a spawned_function, once, on a fresh stack, or in a row with others: if one
  /// of its workers calls this, `f` is queued there. Any thread may call this. Wait-free on a
  /// worker, except for the growth of its queue, else lock-free.
  void spawn(continuation& f) noexcept;

  /// Returns what `w`, whose strand has come to the end of a spawned function, goes on with on the
  /// same stack: another spawned_function, or nullptr. It is nullptr if something else is to go
  /// first.
  continuation* next_in_row(scheduler_worker& w) noexcept;

  /// Has a worker go on with the strand of `r`. Any thread may call this. Lock-free. A resumption
  /// needs no fresh stack, and goes on even if there is none.
  void submit_resumption(resumption& r) noexcept;

  /// Does what submit_resumption() does. If a strand of one of the workers calls this, that worker
  /// goes on with `r` when the calling strand stops, unless another worker has nothing to do until
  /// then. So two strands that wait for each other in turn stay on one worker.
  void let_go_on(resumption& r) noexcept;

  /// Has `w`, whose thread calls this, run `c` next, before it searches. Returns false, and has not
  /// done anything, if `w` is not on its scheduler stack, has something to go on with already, or
  /// has no stack for `c`.
  bool hand_over(scheduler_worker& w, continuation& c, bool needs_stack) noexcept;

  /// Has `w` run `c`, once. If `w` is not here but in another scheduler, any worker runs it. Any
  /// thread may call this. Lock-free.
  void submit_to(scheduler_worker& w, continuation& c) noexcept;

  /// These two count what is in flight: calls of run(), scopes, detached functions.
  void started() noexcept;
  void finished() noexcept;
  /// Does what started() does, for a caller that cannot know whether close() has been called.
  /// Returns false if it has: nothing is counted then. Lock-free.
  bool started_unless_ended() noexcept;

  /// Has done(argument) called as soon as nothing is in flight. Whatever ends last calls it, as the
  /// last that it does with this object. Returns false, and nobody calls it, if nothing is in
  /// flight now. Called at most once.
  bool close(void (*done)(void* argument) noexcept, void* argument) noexcept;
  [[nodiscard]] bool is_closed() const noexcept;

  /// Ends the workers of a runtime, or sends back those of a claim. This is closed, and nothing is
  /// in flight. The object still answers started_unless_ended(), with false.
  void end_workers() noexcept;

  /// Closes this and ends the workers if nothing is in flight and no claim lives; else does
  /// nothing.
  void end_if_idle() noexcept;

  /// Runs what is to be run until stop(), or until the worker is to leave. This is the loop of one
  /// worker, which calls it on its scheduler stack. Returns where the worker goes from here, or
  /// nullptr after stop().
  scheduler* run_worker(scheduler_worker& w) noexcept;
  /// Lets all workers end, as soon as nothing is queued that one of them has to take.
  void stop() noexcept;

  /// Makes the calling thread worker i until stop(). The process of a worker calls this.
  void be_worker(unsigned i);

  /// Whether threads that are no workers run their calls as guests.
  [[nodiscard]] bool takes_guests() const noexcept { return takes_guests_; }
  [[nodiscard]] std::size_t stack_bytes() const noexcept { return options_.stack_bytes; }

  /// Makes the calling thread, which is no worker, a guest: what it runs on `t.own` is a strand
  /// from here on. When the strand leaves, the thread goes on by `t.beside`, and calls help().
  /// Returns nullptr, and has done nothing, if that cannot be.
  scheduler_worker* guest_comes(guest_thread& t) noexcept;

  /// Makes the guest that runs `w` a thread again. It has nothing that it alone would run.
  void guest_goes(scheduler_worker& w) noexcept;

  /// Does what the guest's strand, which has left its stack, wants done, and helps with what the
  /// strand has forked. Returns when is_back(argument) says so, or when there is nothing to help
  /// with.
  void help(scheduler_worker& w, bool (*is_back)(const void* argument) noexcept,
            const void* argument) noexcept;

  [[nodiscard]] unsigned workers() const noexcept { return static_cast<unsigned>(workers_.size()); }
  /// \throws std::out_of_range if there is no worker `index`.
  void require_worker(unsigned index) const;
  [[nodiscard]] scheduler_worker& worker_at(unsigned i) noexcept { return *workers_[i]; }
  /// Returns the counts of all workers. They may be running, so the counts are not of one moment.
  [[nodiscard]] statistics stats() const;
  [[nodiscard]] std::size_t resident_stack_pages() const noexcept {
    return supply_.resident_pages();
  }
  [[nodiscard]] bool belongs_to_this_process() const noexcept;  ///< false in a child of fork(2).

  /// Returns the CPU on which a worker begins, as the system counts. For a runtime, not a claim.
  [[nodiscard]] unsigned cpu_of(unsigned worker) const noexcept { return cpus_[worker]; }
  /// Returns hwloc's description of the machine that a test has, or nothing if it is this one.
  [[nodiscard]] const std::string& synthetic_topology() const noexcept {
    return machine_.synthetic_topology;
  }

  /// What a component above calls the claim of this. It is set before anything runs there.
  void* known_as = nullptr;

  /// Which of the workers are in which claim.
  [[nodiscard]] const std::shared_ptr<claims>& lent() const noexcept { return claims_; }
#ifdef NOPAL_CHECK
  /// Whether every worker is inside a strand while something is there for one to take. The answer
  /// is a hint.
  [[nodiscard]] bool all_run_while_work_waits() const noexcept;
  /// Whether no worker is inside a strand, and nothing is there for one to take. The answer is a
  /// hint.
  [[nodiscard]] bool has_nothing_to_run() const noexcept;
  /// The counts of all workers so far.
  [[nodiscard]] std::uint64_t stack_switches() const noexcept;

  /// The scopes that count as work in flight.
  std::atomic<std::int64_t> scopes{0};
#endif

 protected:
  ~scheduler();  ///< The workers have ended, unless this is a child of fork(2).

 private:
  friend class claims;

  scheduler(const options& o, const machine& m, const topology& t);
  void start_threads();
  void end_threads() noexcept;
  void free_second_ways() noexcept;
  [[nodiscard]] bool nothing_in_flight() const noexcept;
  void tell_if_last() noexcept;
#ifdef NOPAL_CHECK
  [[nodiscard]] bool work_waits() const noexcept;
#endif
  void settle_on(unsigned cpu) noexcept;
  void thread_main(scheduler_worker& w, unsigned cpu);

  // A worker finds what to run by these: search.cpp.
  continuation* search(scheduler_worker& w) noexcept;
  continuation* look_around(scheduler_worker& w) noexcept;
  continuation* take_submission(scheduler_worker& w) noexcept;
  bool something_submitted(const scheduler_worker& w) const noexcept;
  bool something_queued(const scheduler_worker& w) const noexcept;
  scheduler_worker* draw_victim(scheduler_worker& w) noexcept;
  continuation* take_from_homes(scheduler_worker& w) noexcept;
  void open_home(scheduler_worker& w) noexcept;
  continuation* steal_from(scheduler_worker& thief, scheduler_worker& victim) noexcept;
  std::int64_t steal_more(scheduler_worker& thief, scheduler_worker& victim) noexcept;
  bool may_sleep(const scheduler_worker& w) const noexcept;

  // A guest runs its call by these: guest.cpp.
  scheduler_worker* worker_of_guest(unsigned n) noexcept;
  [[nodiscard]] scheduler_worker* one_of(std::uint64_t numbers, unsigned turn) const noexcept;
  void number_is_free(unsigned n) noexcept;
  void leave_spawned(scheduler_worker& w) noexcept;
  continuation* search_as_guest(scheduler_worker& w, bool (*is_back)(const void* argument) noexcept,
                                const void* argument) noexcept;
  [[nodiscard]] bool sleeps_in_stead(const scheduler_worker& w) const noexcept;

  // A worker calls these when there is no memory for a stack: wait_for_stack.cpp.
  bool lacks_stack(const scheduler_worker& w) const noexcept;
  void wait_for_stack(scheduler_worker& w) noexcept;
  void say_stuck() noexcept;

  // A worker comes and goes by these: claims/move.cpp.
  /// Whether `w`, a worker and no guest, may have to leave: leave() knows.
  [[nodiscard]] bool is_to_leave(const scheduler_worker& w, std::memory_order o) const noexcept {
    return crew_.surplus.load(o) != 0 || claims_->calls(w.index, o);
  }
  scheduler* leave(scheduler_worker& w) noexcept;
  void arrive(scheduler_worker& w) noexcept;
  void vacate(scheduler_worker& w) noexcept;

  // A worker runs what it has found by these: run.cpp.
  void run(scheduler_worker& w, continuation& c) noexcept;
  void run_rest(scheduler_worker& w) noexcept;
  suspension* settle(scheduler_worker& w) noexcept;
  suspension* announce_arrival(scheduler_worker& w) noexcept;
  void hand_over_deque(scheduler_worker& w) noexcept;
  continuation* take_follower(scheduler_worker& w) noexcept;
  continuation* take_follower_of_another(scheduler_worker& w) noexcept;

  options options_;
  machine machine_;
  stack_supply supply_;
  std::vector<std::unique_ptr<scheduler_worker>> workers_;
  std::vector<unsigned> cpus_;  ///< The CPU to which each worker is bound.
  /// The workers that guests run, by their numbers. Each is made when it is needed first.
  std::array<std::atomic<scheduler_worker*>, idle::most_guests> guests_{};
  bool takes_guests_ = false;
  idle idle_;
  // Every round of every search polls these, so each has lines that nothing else is on.
  alignas(cache_line) inbox inbox_;
  alignas(cache_line) inbox resumptions_;  ///< What needs no fresh stack must get on without one.
  alignas(cache_line) std::atomic<bool> stopping_{false};
  crew crew_;  ///< Searchers poll it as well, and it is written as rarely.
  static constexpr std::int64_t closed = INT64_MIN / 2;
  /// The number of calls in flight. From close() on, `closed` is added.
  alignas(cache_line) std::atomic<std::int64_t> in_flight_{0};
  /// What is called when in_flight_ has come to `closed`, and no guest is here.
  std::atomic<void (*)(void* argument) noexcept> done_{nullptr};
  void* argument_of_done_ = nullptr;
  std::atomic<std::size_t> unpinned_{0};
  std::atomic<bool> said_stuck_{false};
  unsigned generation_;  ///< The generation of the process: its depth in children of fork(2).
  std::shared_ptr<claims> claims_;
  std::vector<std::thread> threads_;
#ifdef NOPAL_CHECK
  std::optional<noted_scheduler> noted_;
  std::unique_ptr<watch> watch_;
#endif
};

}  // namespace nopal::detail
