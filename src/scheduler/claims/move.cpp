// SPDX-License-Identifier: Apache-2.0
// A worker goes from one scheduler to another, between a runtime and its claims, and leaves nothing
// behind that only it could run.
#include <memory>
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "scheduler/events.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal::detail {

scheduler::scheduler(std::shared_ptr<claims> lent_by)
    : options_(lent_by->runtime().options_),
      machine_(lent_by->runtime().machine_),
      supply_(options_, machine_.stack_limit),
      idle_(lent_by->runtime().idle_.groups()),
      generation_(process_generation()),
      claims_(std::move(lent_by)) {
  for (const auto& w : claims_->runtime().workers_) {
    workers_.push_back(std::make_unique<scheduler_worker>(
        *this, supply_, w->index, w->group, victims(w->prey, w->index, options_.seed)));
    workers_.back()->mine.close_into(inbox_);  // closed until its thread arrives
    supply_.add(*workers_.back(), w->nearest);
  }
  supply_.provide_first(*workers_.front());
#ifdef NOPAL_CHECK
  noted_.emplace(*this);
#endif
}

/// Lets `w`, the worker of the calling thread, run here from now on.
void scheduler::arrive(scheduler_worker& w) noexcept {
  w.goes_to = nullptr;
  w.mine.open();
  idle_.join_search(w.group);
}

/// Sends searcher `w` elsewhere if this scheduler has too many workers, or if `w` is called to
/// another one. Returns where, or nullptr.
scheduler* scheduler::leave(scheduler_worker& w) noexcept {
  NOPAL_ASSERT(w.current == nullptr && w.handed == nullptr && w.deque.empty());
  return w.goes_to = claims_->leave(*this, w.index);
}

/// Takes searcher `w` out of this scheduler. What only `w` would have run, any other worker may run
/// from now on; what only `w` may have seen, another worker sees.
void scheduler::vacate(scheduler_worker& w) noexcept {
  NOPAL_ASSERT(w.offered.is_closed());  // nobody offers it a strand now
  supply_.give_up_spare(w);
  emit<scheduler_events::moving>();
  w.mine.close_into(inbox_);
  while (!w.spawned.empty())
    if (continuation* c = w.spawned.take_oldest()) inbox_.put(c);
  emit<scheduler_events::moving>();
  w.count.add(&counts::wake_ups, idle_.leave_search(w.group));
  emit<scheduler_events::moving>();
  // Whoever submitted something may have relied on this searcher. The load pairs with submit():
  // either the submitter has seen that this searcher has left, or this worker sees the submission
  // here.
  if (something_submitted(w)) w.count.add(&counts::wake_ups, idle_.work_submitted());
}

}  // namespace nopal::detail
