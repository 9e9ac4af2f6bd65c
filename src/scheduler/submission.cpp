// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/scheduler/submission.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include "scheduler/scheduler.hpp"

namespace nopal::detail {

void last_act(void (*act)(void* argument) noexcept, void* argument) noexcept {
  scheduler_worker& w = this_scheduler_worker();
  if (w.last_act != nullptr) std::exchange(w.last_act, nullptr)(w.argument_of_last_act);
  w.last_act = act;
  w.argument_of_last_act = argument;
}

bool sent_home(worker& home, continuation& c) noexcept {
  scheduler_worker& w = this_scheduler_worker();
  return w.leaves_to(static_cast<scheduler_worker&>(home), c,
                     w.call.load(std::memory_order_relaxed));
}

void submit_to(unsigned index, continuation& c) noexcept {
  scheduler& s = *this_scheduler_worker().belongs_to;
  s.submit_to(s.worker_at(index), c);
}

bool is_this_worker(unsigned index) {
  const scheduler_worker& w = this_scheduler_worker();
  w.belongs_to->require_worker(index);
  return index == w.index;
}

void scheduler::require_worker(unsigned index) const {
  if (index >= workers())
    throw std::out_of_range("nopal: there is no worker " + std::to_string(index) +
                            "; this runtime has " + std::to_string(workers()) + ", counted from 0");
}

}  // namespace nopal::detail
