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

namespace nopal::detail {

/// What a test replaces of the machine.
struct machine {
  std::string synthetic_topology = {};  ///< hwloc's description; empty: this machine.
  bool membarrier = true;               ///< false: as on a kernel without it.
  std::size_t stack_limit = SIZE_MAX;   ///< Stacks that the system gives.
  bool threads = true;  ///< false: the test itself calls run_worker() for every worker.
};

/// The workers of one runtime, and what they share.
class scheduler {
 public:
  explicit scheduler(const options& o, const machine& m = {});
  ~scheduler();  ///< Calls end() where nobody has, but not in a child of fork(2).
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  /// Has a worker run `s`, once; from any thread. Lock-free.
  void submit(submission& s) noexcept;

  /// Has `w` run `s`, once; from any thread. Lock-free.
  void submit_to(scheduler_worker& w, submission& s) noexcept;

  /// Count the calls of runtime::run that are in flight, for end() to wait for.
  void started() noexcept;
  void finished() noexcept;
  /// As started(), for who cannot know that end() has not been called. Returns false where it has:
  /// nothing is counted then.
  bool started_unless_ended() noexcept;

  /// Waits for all work in flight and ends the workers. Not twice. The object still answers
  /// started_unless_ended(): no, from now on.
  void end() noexcept;

  /// The loop of one worker: runs what is to be run until stop(). Called on its scheduler stack.
  void run_worker(scheduler_worker& w) noexcept;
  void stop() noexcept;

  [[nodiscard]] unsigned workers() const noexcept { return static_cast<unsigned>(workers_.size()); }
  [[nodiscard]] scheduler_worker& worker_at(unsigned i) noexcept { return *workers_[i]; }
  [[nodiscard]] statistics stats() const;
  [[nodiscard]] std::size_t resident_stack_pages()
      const noexcept;  ///< Of all stacks, in use or not. Asks the kernel.
  [[nodiscard]] bool belongs_to_this_process() const noexcept;  ///< false in a child of fork(2).

  /// The spare stack of w, on which it is about to start a strand, and which is now its current
  /// one.
  stack& occupy_spare(scheduler_worker& w) noexcept;

  /// A stack that no strand needs any more becomes the spare of w, or goes to its pool.
  void release(scheduler_worker& w, stack& s) noexcept;

  /// Whether `c`, with which w could go on, is left to `home` instead.
  static bool sent_home(scheduler_worker& w, scheduler_worker& home, continuation& c) noexcept;

  /// On the scheduler stack of w: goes on with a suspended strand. Returns when it has left.
  void resume(scheduler_worker& w, suspension& s) noexcept;

 private:
  void start_threads();
  void thread_main(scheduler_worker& w, unsigned cpu);

  continuation* search(scheduler_worker& w) noexcept;
  continuation* look_around(scheduler_worker& w) noexcept;
  continuation* take_submission(scheduler_worker& w) noexcept;
  scheduler_worker* draw_victim(scheduler_worker& w) noexcept;
  continuation* take_from_homes(scheduler_worker& w) noexcept;
  void open_home(scheduler_worker& w) noexcept;
  continuation* steal_from(scheduler_worker& thief, scheduler_worker& victim) noexcept;
  bool work_in_sight() const noexcept;

  void run(scheduler_worker& w, continuation& c) noexcept;
  suspension* settle(scheduler_worker& w) noexcept;

  bool ensure_spare(scheduler_worker& w) noexcept;
  void put_away(scheduler_worker& w, stack& s) noexcept;
  void hand_over_deque(scheduler_worker& w) noexcept;
  void count_as_used(stack& s) noexcept;
  void reclaim(scheduler_worker& w, stack& s, void* live) noexcept;
  bool must_reclaim(stack& s, void* live) noexcept;

  options options_;
  machine machine_;
  topology topology_;
  std::vector<std::unique_ptr<scheduler_worker>> workers_;
  std::vector<unsigned> cpus_;  ///< To which each worker is bound.
  idle idle_;
  alignas(cache_line) inbox inbox_;
  inbox resumptions_;  ///< Submissions that need no fresh stack: they must get on where there is
                       ///< none.
  alignas(cache_line) std::atomic<bool> stopping_{false};
  static constexpr std::int64_t closed = INT64_MIN / 2;
  std::atomic<std::int64_t> in_flight_{0};  ///< Their number, and `closed` added from end() on.
  std::atomic<std::size_t> stacks_in_use_{0};
  std::atomic<std::size_t> peak_stacks_in_use_{0};
  std::atomic<std::size_t> stacks_mapped_{0};
  std::atomic<std::int64_t> unreclaimed_{
      0};  ///< Suspended stacks that adaptive reclaim left as they were.
  std::atomic<std::size_t> unpinned_{0};
  unsigned generation_;  ///< Of the process, counted in children of fork(2).
  std::vector<std::thread> threads_;
};

}  // namespace nopal::detail
