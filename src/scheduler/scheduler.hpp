// SPDX-License-Identifier: Apache-2.0
#pragma once

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
#include "scheduler/idle.hpp"
#include "scheduler/inbox.hpp"
#include "scheduler/scheduler_worker.hpp"
#include "strand/stack_supply.hpp"
#ifdef NOPAL_CHECK
#include <chrono>

#include "scheduler/watch.hpp"
#endif

namespace nopal::detail {

/// What a test replaces of the machine.
struct machine {
  std::string synthetic_topology = {};  ///< hwloc's description; empty: this machine.
  bool membarrier = true;               ///< false: as on a kernel without it.
  std::size_t stack_limit = SIZE_MAX;   ///< Stacks that the system gives.
  bool threads = true;                  ///< false: the test itself calls run_worker().
  unsigned thread_limit = ~0U;          ///< Threads for which there is memory.
#ifdef NOPAL_CHECK
  std::chrono::milliseconds patience = std::chrono::seconds(10);  ///< Of the watch.
#endif
};

/// The workers of one runtime, and what they share.
class scheduler {
 public:
  explicit scheduler(const options& o, const machine& m = {});
  ~scheduler();  ///< Calls end() if nobody has, but not in a child of fork(2).
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  /// Has a worker run `c`, once, on a fresh stack; from any thread. Lock-free.
  void submit(continuation& c) noexcept;

  /// Has a worker run `c`, once, on a fresh stack, as a function that was spawned: called by one of
  /// its workers it is queued there. From any thread; wait-free on a worker, but for the growth of
  /// its queue, else lock-free.
  void spawn(continuation& c) noexcept;

  /// What `w`, whose strand has come to the end of a spawned function, goes on with on the same
  /// stack: another spawned function, or nothing. It is nothing if something else is to go first.
  continuation* next_in_row(scheduler_worker& w) noexcept;

  /// Has a worker go on with the strand of `r`; from any thread. Lock-free. These need no fresh
  /// stack, and go on even if there is none.
  void submit_resumption(resumption& r) noexcept;

  /// Has `w`, whose thread calls this on its scheduler stack, run `c` next, before it searches.
  /// Returns false, and has not done anything, if `w` has something to go on with already, or has
  /// no stack for `c`.
  bool hand_over(scheduler_worker& w, continuation& c, bool needs_stack) noexcept;

  /// Has `w` run `c`, once; from any thread. Lock-free.
  void submit_to(scheduler_worker& w, continuation& c) noexcept;

  /// Count the calls of runtime::run that are in flight, for end() to wait for.
  void started() noexcept;
  void finished() noexcept;
  /// Like started(), for a caller that cannot know whether end() has been called. Returns false if
  /// it has: nothing is counted then.
  bool started_unless_ended() noexcept;

  /// Waits for all work in flight and ends the workers. Not twice. The object still answers
  /// started_unless_ended(), with false.
  void end() noexcept;

  /// The loop of one worker: runs what is to be run until stop(). Called on its scheduler stack.
  void run_worker(scheduler_worker& w) noexcept;
  void stop() noexcept;

  [[nodiscard]] unsigned workers() const noexcept { return static_cast<unsigned>(workers_.size()); }
  /// \throws std::out_of_range if there is no worker `index`.
  void require_worker(unsigned index) const;
  [[nodiscard]] scheduler_worker& worker_at(unsigned i) noexcept { return *workers_[i]; }
  [[nodiscard]] statistics stats() const;
  [[nodiscard]] std::size_t resident_stack_pages() const noexcept {
    return supply_.resident_pages();
  }
  [[nodiscard]] bool belongs_to_this_process() const noexcept;  ///< false in a child of fork(2).
#ifdef NOPAL_CHECK
  /// Whether every worker is inside a strand while something is there for one to take. A hint.
  [[nodiscard]] bool all_run_while_work_waits() const noexcept;
#endif

 private:
  void start_threads();
  void end_threads() noexcept;
  void thread_main(scheduler_worker& w, unsigned cpu);

  // How a worker finds what to run: search.cpp.
  continuation* search(scheduler_worker& w) noexcept;
  continuation* look_around(scheduler_worker& w) noexcept;
  continuation* take_submission(scheduler_worker& w) noexcept;
  bool something_submitted(const scheduler_worker& w) const noexcept;
  scheduler_worker* draw_victim(scheduler_worker& w) noexcept;
  continuation* take_from_homes(scheduler_worker& w) noexcept;
  void open_home(scheduler_worker& w) noexcept;
  continuation* steal_from(scheduler_worker& thief, scheduler_worker& victim) noexcept;
  std::int64_t steal_more(scheduler_worker& thief, scheduler_worker& victim) noexcept;
  bool work_in_sight() const noexcept;

  // How it runs what it has found: run.cpp.
  void run(scheduler_worker& w, continuation& c) noexcept;
  suspension* settle(scheduler_worker& w) noexcept;
  suspension* announce_arrival(scheduler_worker& w) noexcept;
  void hand_over_deque(scheduler_worker& w) noexcept;

  options options_;
  machine machine_;
  topology topology_;
  stack_supply supply_;
  std::vector<std::unique_ptr<scheduler_worker>> workers_;
  std::vector<unsigned> cpus_;  ///< To which each worker is bound.
  idle idle_;
  // Every round of every search polls these three, so each has lines that nothing else is on.
  alignas(cache_line) inbox inbox_;
  alignas(cache_line) inbox resumptions_;  ///< What needs no fresh stack must get on without one.
  alignas(cache_line) std::atomic<bool> stopping_{false};
  static constexpr std::int64_t closed = INT64_MIN / 2;
  /// Calls in flight, and `closed` added from end() on.
  alignas(cache_line) std::atomic<std::int64_t> in_flight_{0};
  std::atomic<std::uint32_t> all_finished_{
      0};  ///< A futex: 1 when in_flight_ has come to `closed`.
  std::atomic<std::size_t> unpinned_{0};
  unsigned generation_;  ///< Of the process, counted in children of fork(2).
  std::vector<std::thread> threads_;
#ifdef NOPAL_CHECK
  std::unique_ptr<watch> watch_;
#endif
};

}  // namespace nopal::detail
