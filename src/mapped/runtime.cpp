// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>

#include "mapped/mapping.hpp"
#include "mapped/processes.hpp"
#include "mapped/program.hpp"
#include "mapped/refused.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "nopal/mapped.hpp"
#include "runtime/options.hpp"
#include "runtime/owned_scheduler.hpp"
#include "runtime/root_call.hpp"

namespace nopal::mapped {
namespace {

constinit bool memory_is_shared = false;
constinit bool one_lives = false;

/// Prepares the program's memory for several processes. The first mapped runtime does so, before it
/// makes any.
void share_memory() {
  if (one_lives)
    throw std::logic_error("nopal: there is a mapped runtime already; destroy it first");
  detail::mapped::require_one_thread();
  if (memory_is_shared) return;
  detail::mapped::replace_locks();
  detail::mapped::share_heap();
  detail::mapped::share_program();
  memory_is_shared = true;
}

/// Whether deques may rely on fences that reach the other processes.
bool share_fences() {
  const bool shared = detail::share_process_wide_fence();
  if (!shared && detail::asymmetric_fences)
    throw std::logic_error(
        "nopal: an earlier runtime has chosen fences that do not reach other processes, and the "
        "kernel has no others (membarrier(2), MEMBARRIER_CMD_GLOBAL_EXPEDITED). Make the mapped "
        "runtime first");
  return shared;
}

/// Returns what a scheduler needs to know to run its strands on the stacks of `mapping`.
/// \param fences  whether deques may use fences that reach the other processes.
detail::machine machine_with(detail::stack_strategy& mapping, bool fences) {
  detail::machine m;
  m.membarrier = fences;
  m.strategy = &mapping;
  return m;
}

}  // namespace

struct runtime::state {
  explicit state(const options& o)
      : mapping(o.stack_bytes), scheduler(o, machine_with(mapping, share_fences())) {
    mapping.add_workers(scheduler.workers());
  }

  detail::mapped::mapping mapping;
  detail::owned_scheduler scheduler;
  std::optional<detail::mapped::processes> processes;
};

runtime::runtime(const options& o) {
  const options checked = detail::checked(o);
  share_memory();
  state_ = std::make_unique<state>(checked);
  state_->processes.emplace(state_->scheduler);
  one_lives = true;
  detail::mapped::refuse_changes(true);
}

runtime::~runtime() {
  detail::mapped::refuse_changes(false);
  state_->scheduler.end();
  state_->processes.reset();
  one_lives = false;
}

unsigned runtime::workers() const noexcept { return state_->scheduler.workers(); }
statistics runtime::stats() const { return state_->scheduler.stats(); }
stack_statistics runtime::stacks() const {
  const detail::mapped::mapping& v = state_->mapping;
  return {v.resident_pages(), v.segments(), v.segments_mapped()};
}
int runtime::process(unsigned index) const noexcept { return state_->processes->of_worker(index); }

void runtime::run_erased(void (*call)(void*), void* argument) {
  std::fflush(stdout);  // the workers write to stdout as well
  detail::run_on_or_here(state_->scheduler, call, argument);
}

}  // namespace nopal::mapped
