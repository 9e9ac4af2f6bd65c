// SPDX-License-Identifier: Apache-2.0
// A frame that keeps its stack while it waits for those that have stolen its children, and what its
// worker runs on top of it meanwhile. docs/stacks.md has the rules and the argument.
#pragma once

#include <sched.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/strand/strand.hpp"
#include "platform/futex.hpp"
#include "scheduler/events.hpp"
#include "scheduler/scheduler.hpp"
#include "strand/stack.hpp"
#include "variants/stacks/offered_stack.hpp"
#include "variants/stacks/rule.hpp"

namespace nopal::detail {

/// What thieves may know of a worker's deque before they take from it: hints, which may be out of
/// date. Positions far from each other share an entry.
struct shown_deque {
  std::atomic<std::int64_t> oldest;
  std::array<std::atomic<int>, 256> depths;
  std::atomic<int>& depth_at(std::int64_t position) noexcept {
    return depths[static_cast<std::size_t>(position) % depths.size()];
  }
};

/// The part of queued_children that waits. A child is a class with these functions:
///   static Child* of(continuation&): the child, or nullptr if it is something else;
///   waiting_frame& frame(): the frame that has forked it;
///   const mark& forked_at(): what forking() has returned;
///   void run_on_waiting_stack(): calls the child, and arrives.
class waiting_frame : public offered_stack {
 public:
  /// What a child keeps of its fork.
  struct mark {
    unsigned forked_on;     ///< The number of the worker.
    std::int64_t position;  ///< The position on its deque.
  };

  waiting_frame() noexcept : depth_(depth_of_path() + 1) { set_depth_of_path(depth_); }
  ~waiting_frame() { set_depth_of_path(depth_ - 1); }
  waiting_frame(const waiting_frame&) = delete;
  waiting_frame& operator=(const waiting_frame&) = delete;

  /// Returns the mark of a child that is about to be pushed on the deque of `w`, the calling
  /// worker.
  mark forking(worker& w) noexcept {
    set_depth_of_path(depth_);  // the strand may have changed threads
    const mark m{w.number.value(), w.deque.newest() + 1};
    shown_deque& s = shown_by(m.forked_on);
    s.depth_at(m.position).store(depth_, std::memory_order_relaxed);
    if (w.deque.empty()) s.oldest.store(m.position, std::memory_order_relaxed);
    return m;
  }

  /// Notes that a thief has taken the child with this mark.
  static void stolen(const mark& m) noexcept {
    shown_by(m.forked_on).oldest.store(m.position + 1, std::memory_order_relaxed);
  }

  /// As long as this lives, the calling strand runs a child of `f` that was stolen. It ends before
  /// the child arrives.
  class theft {
   public:
    explicit theft(waiting_frame& f) noexcept
        : of_(&f), thief_(this_scheduler_worker().index), before_(depth_of_path()) {
      set_depth_of_path(f.depth_);
      const std::lock_guard l(f.mutex_);
      next_ = std::exchange(f.thefts_, this);
    }
    ~theft() {
      set_depth_of_path(before_);
      const std::lock_guard l(of_->mutex_);
      theft** t = &of_->thefts_;
      while (*t != this) t = &(*t)->next_;
      *t = next_;
    }
    theft(const theft&) = delete;
    theft& operator=(const theft&) = delete;

   private:
    friend class waiting_frame;
    waiting_frame* of_;
    unsigned thief_;
    int before_;
    theft* next_;
  };

  /// Runs other children until arrived() says that the children have ended; or returns before,
  /// because the strand has to leave its stack to wait for them.
  /// Precondition: all children that are left were stolen.
  template <class Child, class Arrived>
  void wait(Arrived arrived) noexcept {
    for (unsigned round = 1; !arrived(); ++round) {
      // What was left on the deque when the strand stopped for something else than a join waits for
      // a worker that is on its scheduler stack. So a worker has to go there.
      const bool leaves = stacks::leaves_to_wait() || current_stack()->left_by != nullptr;
      continuation* given_back = take_given_back(leaves);
      Child* c = given_back != nullptr ? Child::of(*given_back) : leaves ? nullptr : steal<Child>();
      if (c != nullptr) {
        c->run_on_waiting_stack();
        set_depth_of_path(depth_);
        this_scheduler_worker().patience.ran_out();
      } else if (leaves) {
        return;
      } else if (!emit<scheduler_events::searching>()) {
        constexpr unsigned rounds_before_yield = 16;
        round % rounds_before_yield == 0 ? static_cast<void>(sched_yield()) : cpu_relax();
      }
    }
  }

 private:
  static inline std::array<shown_deque, 64> all_shown;  // workers with large numbers share them
  static shown_deque& shown_by(unsigned worker) noexcept {
    return all_shown[worker % all_shown.size()];
  }

  // The number of frames on the path to what the thread runs. Each access is a function of its own,
  // since a strand may have changed threads before.
  static inline thread_local int frames_on_path = 0;
  NOPAL_NOINLINE static int depth_of_path() noexcept { return frames_on_path; }
  NOPAL_NOINLINE static void set_depth_of_path(int d) noexcept { frames_on_path = d; }

  template <class Child>
  Child* steal() noexcept {
    scheduler_worker& w = this_scheduler_worker();
    NOPAL_ASSERT(w.deque.empty());
    scheduler_worker* victim = w.patience.waits() ? nullptr : choose_victim(w);
    if (victim == nullptr || victim->deque.looks_empty()) return nullptr;
    fp_control fp{};
    // The strand that pushed what is about to be claimed runs there as long as nobody claims it.
    continuation* c = victim->deque.steal([&] {
      fp = victim->strand_fp_control.load(std::memory_order_relaxed);
      return true;
    });
    if (c == nullptr) {
      w.count.add(&counts::failed_steals);
      w.patience.got_nothing();
      return nullptr;
    }
    w.count.add(&counts::steals);
    c = unmarked(c, fp);
    emit<scheduler_events::stolen>(c, victim->index);
    Child* child = Child::of(*c);
    if (child == nullptr) {  // another front end's needs a worker on its scheduler stack
      w.belongs_to->submit(*c);
      return nullptr;
    }
    stolen(child->forked_at());
    if (!may_run(child->frame(), *victim)) {
      child->frame().give_back(*child, *w.belongs_to);
      return nullptr;
    }
    w.patience.stole();
    return child;
  }

  /// Returns a worker from which the rule lets this frame steal, as far as this can be told before.
  scheduler_worker* choose_victim(scheduler_worker& w) noexcept {
    if (stacks::chosen.takes == stacks::rule::leapfrog) return next_thief(*w.belongs_to);
    if (stacks::chosen.takes == stacks::rule::limited &&
        bytes_of_stack() > stacks::chosen.most_bytes)
      return nullptr;
    if (!w.prey.any()) return nullptr;
    scheduler_worker& drawn = w.belongs_to->worker_at(w.prey.draw());
    if (stacks::chosen.takes != stacks::rule::deeper) return &drawn;
    shown_deque& s = shown_by(drawn.number.value());
    const std::int64_t oldest = s.oldest.load(std::memory_order_relaxed);
    return s.depth_at(oldest).load(std::memory_order_relaxed) >= depth_ ? &drawn : nullptr;
  }

  /// Whether the rule lets this frame run a child of `of` that was stolen from `victim`.
  bool may_run(const waiting_frame& of, const scheduler_worker& victim) noexcept {
    switch (stacks::chosen.takes) {
      case stacks::rule::deeper:
        return of.depth_ >= depth_;
      case stacks::rule::leapfrog:
        return is_thief(victim.index);
      default:
        return true;
    }
  }

  static std::size_t bytes_of_stack() noexcept {
    return static_cast<std::size_t>(current_stack()->base() -
                                    static_cast<std::byte*>(__builtin_frame_address(0)));
  }

  /// Returns the workers that run a child of this frame, one after the other, or nullptr if none
  /// has begun.
  scheduler_worker* next_thief(scheduler& s) noexcept {
    const std::lock_guard l(mutex_);
    unsigned n = 0;
    for (const theft* t = thefts_; t != nullptr; t = t->next_) ++n;
    if (n == 0) return nullptr;
    const theft* t = thefts_;
    for (n = turn_++ % n; n != 0; --n) t = t->next_;
    return &s.worker_at(t->thief_);
  }

  bool is_thief(unsigned index) noexcept {
    const std::lock_guard l(mutex_);
    const theft* t = thefts_;
    while (t != nullptr && t->thief_ != index) t = t->next_;
    return t != nullptr;
  }

  /// Leaves `child` to this frame, which will run it. A thief that has taken a child and may not
  /// run it calls this.
  void give_back(continuation& child, scheduler& s) noexcept {
    {
      const std::lock_guard l(mutex_);
      if (!leaves_) {
        child.next = std::exchange(given_back_, &child);
        return;
      }
    }
    s.submit(child);
  }

  /// \param leaves  whether nothing is to be given back from here on.
  continuation* take_given_back(bool leaves) noexcept {
    const std::lock_guard l(mutex_);
    if (leaves) leaves_ = true;
    continuation* c = given_back_;
    if (c != nullptr) given_back_ = c->next;
    return c;
  }

  int depth_;  ///< The number of the frame on the path from the root, from 1 on.
  // Thieves take this lock as well. A steal costs more than a lock.
  std::mutex mutex_;
  theft* thefts_ = nullptr;
  continuation* given_back_ = nullptr;
  bool leaves_ = false;
  unsigned turn_ = 0;
};

}  // namespace nopal::detail
