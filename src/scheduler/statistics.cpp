// SPDX-License-Identifier: Apache-2.0
#include "nopal/statistics.hpp"

#include "scheduler/scheduler_worker.hpp"

namespace nopal {

counts& counts::operator+=(const counts& other) noexcept {
  forks += other.forks;
  steals += other.steals;
  failed_steals += other.failed_steals;
  suspensions += other.suspensions;
  foreign_resumptions += other.foreign_resumptions;
  sent_home += other.sent_home;
  stack_switches += other.stack_switches;
  stacks_mapped += other.stacks_mapped;
  stacks_stolen += other.stacks_stolen;
  unmaps += other.unmaps;
  pages_given_back += other.pages_given_back;
  sleeps += other.sleeps;
  wake_ups += other.wake_ups;
  return *this;
}

namespace detail {

counts scheduler_worker::snapshot() const noexcept {
  counts c;
#ifdef NOPAL_COUNT_FORKS
  c.forks = forks.load(std::memory_order_relaxed);
#endif
  c.steals = steals.get();
  c.failed_steals = failed_steals.get();
  c.suspensions = suspensions.get();
  c.foreign_resumptions = foreign_resumptions.get();
  c.sent_home = sent_home.get();
  c.stack_switches = stack_switches.get();
  c.stacks_mapped = stacks_mapped.get();
  c.stacks_stolen = stacks_stolen.get();
  c.unmaps = unmaps.get();
  c.pages_given_back = pages_given_back.get();
  c.sleeps = sleeps.get();
  c.wake_ups = wake_ups.get();
  return c;
}

}  // namespace detail
}  // namespace nopal
