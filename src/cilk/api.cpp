// SPDX-License-Identifier: Apache-2.0
#include "cilk/cilk_api.h"
#include "nopal/async/current_worker.hpp"
#include "nopal/runtime.hpp"
#include "scheduler/scheduler.hpp"

unsigned __cilkrts_get_nworkers(void) {
  return nopal::run([] { return nopal::detail::this_scheduler_worker().belongs_to->workers(); });
}

unsigned __cilkrts_get_worker_number(void) { return nopal::current_worker().value_or(0); }

int __cilkrts_running_on_workers(void) { return nopal::detail::this_worker() != nullptr ? 1 : 0; }
