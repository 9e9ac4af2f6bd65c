// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "nopal/detail/platform/config.hpp"
#include "nopal/options.hpp"
#include "strand/stack_strategy.hpp"
#include "strand/strand_worker.hpp"

namespace nopal::detail {

/// The stacks of one runtime: where the next one comes from, and which pages go back to the kernel.
/// docs/strand.md has the policies and why the space bound holds.
///
/// Every member function that takes a worker is called by that worker, on its scheduler stack.
class stack_supply {
 public:
  /// \param most  how many stacks the system is asked for in all; tests lower it.
  /// \param strategy  nullptr if every worker sees every stack.
  stack_supply(const options& o, std::size_t most, stack_strategy* strategy = nullptr) noexcept
      : bytes_(o.stack_bytes), policy_(o.reclaim), most_(most), strategy_(strategy) {}

  /// Whether every worker sees every stack.
  [[nodiscard]] bool is_shared() const noexcept { return strategy_ == nullptr; }

  /// Ends the program with a message unless every worker sees every stack, as `what` needs.
  void require_shared(const char* what) const noexcept {
    if (strategy_ != nullptr) [[unlikely]]
      stack_strategy::refuse(what);
  }

  /// Says that `thief` is about to claim what it has seen in the victim's deque.
  void claiming(const strand_worker& thief, const strand_worker& victim) noexcept {
    if (strategy_ != nullptr) strategy_->copy_chain(thief, victim);
  }
  /// Says that `thief` has claimed `c` since claiming(), and is about to run it.
  void begin_stolen(strand_worker& thief, const continuation& c) noexcept {
    if (strategy_ != nullptr) strategy_->begin_stolen(thief, c);
  }
  /// Says that w is about to run what was submitted. If not every worker sees every stack, that is
  /// a call from outside, since nothing else is submitted then.
  void begin_call(strand_worker& w) noexcept {
    if (strategy_ != nullptr) strategy_->begin_call(w);
  }

  /// Adds `w`, before the first worker runs. It takes stacks from the caches of the others in the
  /// order of `nearest`, see nearest_first().
  void add(strand_worker& w, std::vector<unsigned> nearest) {
    w.nearest = std::move(nearest);
    workers_.push_back(&w);
  }

  /// Adds the worker of a guest, at any time. It stays until this object ends. Lock-free.
  /// \throws std::bad_alloc
  void add_guest(strand_worker& g);

  /// Puts a first stack into the cache of w, before the first worker runs. From here on everything
  /// that is to run gets a stack at some time, if strands do not wait for ever.
  /// \throws std::bad_alloc that says so, if there is no memory for one.
  void provide_first(strand_worker& w);

  /// Whether w has a spare stack now: its own, one of another worker's cache, or a new one.
  bool ensure_spare(strand_worker& w) noexcept;

  /// Makes the spare stack of w its current one, on which it is about to start a strand, and
  /// returns it.
  /// Precondition: ensure_spare() has said yes since the last call.
  stack& occupy_spare(strand_worker& w) noexcept;

  /// Makes `s` the current stack of w, which is about to go on with the strand on it.
  void occupy_again(strand_worker& w, stack& s) noexcept;

  /// Notes that w leaves `s`, of which everything below `live` is stale.
  void leave(strand_worker& w, stack& s, void* live) noexcept;

  /// Makes `s`, which no strand needs any more, the spare of w, or puts it into its cache.
  void release(strand_worker& w, stack& s) noexcept;

  /// Puts the spare of w, if it has one, into its cache, where other workers find it.
  void give_up_spare(strand_worker& w) noexcept;

  [[nodiscard]] std::size_t in_use() const noexcept {
    return in_use_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t peak_in_use() const noexcept {
    return peak_in_use_.load(std::memory_order_relaxed);
  }
  /// Returns how many pages of all stacks, in use or not, are in memory. Asks the kernel.
  [[nodiscard]] std::size_t resident_pages() const noexcept;

 private:
  void put_away(strand_worker& w, stack& s) noexcept;
  void count_as_used(stack& s) noexcept;
  void reclaim(strand_worker& w, stack& s, void* live) noexcept;
  bool must_reclaim(stack& s, void* live) noexcept;

  std::size_t bytes_;
  reclaim_policy policy_;
  std::size_t most_;
  stack_strategy* strategy_;
  std::vector<strand_worker*> workers_;
  std::atomic<strand_worker*> guests_{nullptr};  ///< A list, by next_guest. It only grows.
  std::atomic<std::int64_t> number_of_guests_{0};
  // Every steal and every suspension writes here, so nothing that a search polls may share the
  // line.
  alignas(cache_line) std::atomic<std::size_t> in_use_{0};
  std::atomic<std::size_t> peak_in_use_{0};
  std::atomic<std::size_t> mapped_{0};
  /// Suspended stacks that adaptive reclaim left alone.
  std::atomic<std::int64_t> unreclaimed_{0};
};

/// Returns the other workers, the nearest to `self` first. Of those that are equally far, the next
/// by index comes first.
/// \param distances  the distance from `self` to each worker, by index.
std::vector<unsigned> nearest_first(unsigned self, const std::vector<unsigned>& distances);

}  // namespace nopal::detail
