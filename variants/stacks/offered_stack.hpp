// SPDX-License-Identifier: Apache-2.0
// A frame that is suspended at its join offers its stack, and thieves run there what its children
// have forked: this is the rule `recycle`. docs/stacks.md, "Stacks of ancestors", has the argument,
// and tests/models/recycle.pml the model.
#pragma once

#include <atomic>
#include <utility>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/strand/strand.hpp"
#include "strand/events.hpp"
#include "strand/strand_worker.hpp"
#include "variants/stacks/rule.hpp"

namespace nopal::detail {

/// The part of a frame that knows its ancestors, and offers its stack to the thieves of what they
/// all wait for. By the other rules it does nothing.
class offered_stack {
 public:
  offered_stack() noexcept : above_(recycles() ? of_running_child() : nullptr) {}
  offered_stack(const offered_stack&) = delete;
  offered_stack& operator=(const offered_stack&) = delete;

  /// As long as this lives, the calling strand runs a child of `f`.
  class extent {
   public:
    explicit extent(offered_stack& f) noexcept
        : before_(recycles() ? of_running_child() : nullptr) {
      if (recycles()) note_running_child_of(&f);
    }
    ~extent() {
      if (recycles()) note_running_child_of(before_);
    }
    extent(const extent&) = delete;
    extent& operator=(const extent&) = delete;

   private:
    offered_stack* before_;
  };

  /// Offers the stack that the frame's strand has left, on which the frame is the bottommost. A
  /// thief that takes it over goes on with `suspended`. The announcement of the strand calls this
  /// before the arrival, after which the frame may be gone.
  void offer(suspension& suspended) noexcept {
    if (!recycles()) return;
    NOPAL_ASSERT(this_strand_worker().current == nullptr && below_ == nullptr);
    NOPAL_ASSERT(!offered_.load(std::memory_order_relaxed));
    suspended_ = &suspended;
    offered_.store(true, std::memory_order_release);  // pairs with take_over()
    emit<strand_events::arriving>();
  }

  /// Takes a stack over for a thief that has taken a child of `f`: that of the nearest ancestor
  /// that offers one, whose strand will find `child`. Returns nullptr if there is none.
  static suspension* take_over_nearest(offered_stack& f, continuation& child) noexcept {
    if (!recycles()) return nullptr;
    for (offered_stack* a = &f; a != nullptr; a = a->above_) {
      if (!a->take_over()) continue;
      NOPAL_ASSERT(a->below_ == nullptr);
      a->below_ = &child;
      return a->suspended_;
    }
    return nullptr;
  }

  /// Called when the strand of the frame goes on. Returns the child for which its stack was
  /// taken over, or nullptr if the children of the frame have ended. In that case the stack is not
  /// offered from here on.
  continuation* take_child() noexcept {
    if (!recycles()) return nullptr;
    if (continuation* child = std::exchange(below_, nullptr)) return child;
    NOPAL_ASSERT(offered_.load(std::memory_order_relaxed));
    // No thief is left that could take the stack over. The next push releases this store to the
    // next thieves.
    offered_.store(false, std::memory_order_relaxed);
    note_running_child_of(above_);
    return nullptr;
  }

 private:
  static bool recycles() noexcept { return stacks::chosen.takes == stacks::rule::recycle; }

  bool take_over() noexcept {
    // The look spares the line of a stack that is in use.
    if (!offered_.load(std::memory_order_relaxed)) return false;
    emit<strand_events::reclaiming>();
    return offered_.exchange(false, std::memory_order_acquire);  // pairs with offer()
  }

  // The frame whose child a worker runs is noted where the worker keeps its last departure, which
  // nothing reads while a strand runs, and which the next departure of any strand overwrites. So
  // the strand that runs has noted what is found there, and has not stopped since.

  static suspension* no_departure(void* /*frame*/) noexcept {
    NOPAL_ASSERT(false);
    return nullptr;
  }
  /// Returns the frame whose child runs, or nullptr if it is not known.
  static offered_stack* of_running_child() noexcept {
    const worker* w = this_worker();
    if (w == nullptr) return nullptr;
    const departure& last = static_cast<const strand_worker*>(w)->leaving;
    return last.announce == no_departure ? static_cast<offered_stack*>(last.argument) : nullptr;
  }
  static void note_running_child_of(offered_stack* f) noexcept {
    NOPAL_ASSERT(this_strand_worker().current != nullptr);
    this_strand_worker().leaving = {no_departure, f, nullptr};
  }

  offered_stack* const above_;  ///< The frame whose child has made this one, if it is known.
  std::atomic<bool> offered_{false};
  // Whoever has taken the stack over, or is to offer, writes these.
  suspension* suspended_ = nullptr;
  continuation* below_ = nullptr;
};

}  // namespace nopal::detail
