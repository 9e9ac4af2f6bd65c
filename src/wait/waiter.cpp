// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/wait/waiter.hpp"

#include "nopal/detail/strand/strand.hpp"
#include "platform/futex.hpp"
#include "scheduler/scheduler.hpp"
#ifdef NOPAL_CHECK
#include <chrono>

#include "scheduler/watch/noted_waits.hpp"
#endif

namespace nopal::detail {
namespace {

/// A strand that waits. This lies on the strand's own stack.
struct waiting_strand {
  const announcement* make_known;
  suspension self;
  waiter waits{self.as_resumption()};

  /// wait_for() has the worker call this when the strand has left its stack. Makes the waiter known
  /// to whoever will call go_on(). Returns the strand, which goes on at once, if what it waits for
  /// has happened already.
  static suspension* announce(void* argument) noexcept {
    auto& strand = *static_cast<waiting_strand*>(argument);
    const bool has_to_wait = (*strand.make_known)(strand.waits);
    return has_to_wait ? nullptr : &strand.self;  // if it waits, `strand` may be gone
  }
};

}  // namespace

waiter::waiter(resumption& strand) noexcept
    : goes_on_by_(&strand), home_(&this_scheduler_worker()) {}

waiter::waiter(continuation& task) noexcept
    : goes_on_by_(&task), home_(&this_scheduler_worker()), needs_stack_(true) {}

void waiter::go_on() noexcept {
  if (home_ == nullptr) {
    woken_.store(1, std::memory_order_release);  // pairs with sleep()
    // The object may be gone now. At worst some thread is woken for no reason, and every thread
    // that waits allows for that.
    futex_wake(woken_, 1);
  } else if (needs_stack_) {
    // A guest takes only what is a part of its own call.
    if (home_->is_guest() || !home_->offered.offer(*goes_on_by_))
      home_->belongs_to->submit(*goes_on_by_);
  } else {
    home_->belongs_to->let_go_on(static_cast<resumption&>(*goes_on_by_));
  }
}

void waiter::go_on_here() noexcept {
  scheduler_worker& w = this_scheduler_worker();
  if (home_ == nullptr || w.belongs_to != home_->belongs_to ||
      !w.belongs_to->hand_over(w, *goes_on_by_, needs_stack_))
    go_on();
}

/// Sleeps until go_on().
void waiter::sleep() noexcept {
#ifdef NOPAL_CHECK
  while (woken_.load(std::memory_order_acquire) == 0) {  // pairs with go_on()
    const auto patience = noted_waits::patience_of_threads.load(std::memory_order_relaxed);
    futex_wait_until(woken_, 0, std::chrono::steady_clock::now() + patience / 4);
    if (noted_waits* all = noted_waits::of_this_process()) all->look(patience);
  }
#endif
  while (woken_.load(std::memory_order_acquire) == 0) futex_wait(woken_, 0);  // pairs: go_on()
}

void wait_for(const announcement& a) noexcept {
  if (!is_on_worker_of_this_process()) {
    waiter thread;
    if (a(thread)) thread.sleep();
    return;
  }
  this_scheduler_worker().current->waits = true;
  waiting_strand strand{&a, {}};
  suspend_strand(strand.self, {waiting_strand::announce, &strand, &strand.self.saved});
}

}  // namespace nopal::detail
