// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// Counts the workers that search and those that sleep. docs/scheduler.md has the states and steps,
/// and says why no wake-up is lost; tests/models/idle.pml is the model.
///
/// Each NUMA group has one word with four counts: active workers of this group, searchers of this
/// group, sleepers of this group, and other groups that have active workers. Every step is one
/// sequentially consistent read-modify-write of it, so the steps of a group have one order, and
/// each worker decides by the word that its own step left behind. Only the first worker of a group
/// to find work and the last to lose it touch the words of other groups. Guests are in no group:
/// each has a flag of its own.
class idle {
 public:
  static constexpr unsigned most_guests = 64;

  explicit idle(unsigned groups);

  /// A searcher of `group` has found work. Returns the number of sleepers woken: one in each group
  /// that would otherwise have none awake.
  unsigned found_work(unsigned group) noexcept;

  /// A worker of `group` has nothing left to run, and searches.
  void lost_work(unsigned group) noexcept;

  [[nodiscard]] unsigned groups() const noexcept { return size_; }

  /// A searcher joins `group`, with its thread.
  void join_search(unsigned group) noexcept;

  /// A searcher leaves `group`, with its thread. Returns the number of sleepers woken: one if the
  /// group would otherwise have no searcher while there is work. Afterwards the caller looks for
  /// submissions.
  unsigned leave_search(unsigned group) noexcept;

  /// A guest comes: a thread that is no worker runs its own call. Takes the number `first`, or the
  /// next that is free, and returns it; returns most_guests if none is free. Wakes a sleeper if
  /// nobody would search for what the guest forks. Precondition: first < most_guests.
  unsigned guest_comes(unsigned first) noexcept;

  /// Guest `n` goes. Wakes a sleeper if nobody would search any more while there is work.
  void guest_goes(unsigned n) noexcept;

  /// Returns the numbers of the guests that are here, as bits.
  [[nodiscard]] std::uint64_t guests() const noexcept;

  /// Whether a thief may steal now. While guests are here, as many workers are to sleep in their
  /// stead. As long as fewer do, nobody may.
  [[nodiscard]] bool may_steal() const noexcept;

  /// Searcher `worker` of `group` goes to sleep, unless it is the last one awake while there is
  /// work, or keep_awake() says no. Returns whether it slept; it searches again afterwards.
  template <class F>
  bool sleep(unsigned group, unsigned worker, F&& keep_awake) noexcept {
    const std::uint32_t key = groups_[group].epoch.load(std::memory_order_seq_cst);
    const bool may = announce_sleep(group);
    const bool slept = may && !keep_awake() && wait(group, worker, key);
    announce_awake(group);
    return slept;
  }

  /// Wakes one sleeper, after a submission, if no searcher is awake. Returns the number woken.
  unsigned work_submitted() noexcept;

  /// Wakes `worker` of `group`, after a submission to it, if it sleeps. A few others, whose number
  /// is the same modulo 32, may be woken with it.
  void wake_worker(unsigned group, unsigned worker) noexcept;

  /// Returns the number of workers and guests that run work, as of some moment.
  [[nodiscard]] std::uint64_t active_workers() const noexcept;

  /// Wakes all workers, for the end.
  void wake_all() noexcept;

 private:
  struct alignas(cache_line) group_state {
    std::atomic<std::uint64_t> word{0};
    /// A futex: changes with every wake-up, so that none is missed.
    std::atomic<std::uint32_t> epoch{0};
  };

  /// The sums over all groups. They are of one moment if there is one group.
  struct sums {
    std::uint64_t active = 0;
    std::uint64_t searchers = 0;
    std::uint64_t sleepers = 0;
  };
  sums all() const noexcept;
  [[nodiscard]] std::uint64_t guests_up_to(std::uint64_t most) const noexcept;
  [[nodiscard]] bool may_wake() const noexcept;
  void wake_for_forks(bool comes) noexcept;
  unsigned wake_in_any_group() noexcept;
  bool announce_sleep(unsigned group) noexcept;
  void announce_awake(unsigned group) noexcept;
  bool wait(unsigned group, unsigned worker, std::uint32_t key) noexcept;
  void wake_one(group_state& g) noexcept;

  unsigned size_;
  std::unique_ptr<group_state[]> groups_;
  /// Says whether a guest is here. Each flag has a line of its own, so that threads which call
  /// again and again do not wait for each other.
  struct alignas(cache_line) guest_flag {
    std::atomic<bool> is_set{false};
  };
  std::array<guest_flag, most_guests> flags_;
  std::atomic<unsigned> flags_used_{0};  ///< No later flag has been set.
};

}  // namespace nopal::detail
