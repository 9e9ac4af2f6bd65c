// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <exception>

#include "cilk/cilk_api.h"
#include "nopal/async/current_worker.hpp"
#include "nopal/detail/runtime/default_runtime.hpp"
#include "nopal/runtime.hpp"
#include "scheduler/scheduler.hpp"

int __cilkrts_is_initialized(void) { return nopal::detail::default_runtime_runs() ? 1 : 0; }

int __cilkrts_atinit(void (*callback)(void)) {
  try {
    return nopal::detail::at_default_start(callback) ? 0 : -1;
  } catch (const std::exception&) {
    return -1;
  }
}

int __cilkrts_atexit(void (*callback)(void)) { return std::atexit(callback); }

unsigned __cilkrts_get_nworkers(void) {
  return nopal::run([] { return nopal::detail::this_scheduler_worker().belongs_to->workers(); });
}

unsigned __cilkrts_get_worker_number(void) { return nopal::current_worker().value_or(0); }

int __cilkrts_running_on_workers(void) { return nopal::detail::this_worker() != nullptr ? 1 : 0; }
