// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <string>
#include <utility>

#include "nopal/async/spawn_detached.hpp"
#include "nopal/detail/async/near_call.hpp"
#include "platform/message.hpp"
#include "runtime/default_runtime.hpp"
#include "runtime/root_call.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal::detail {
namespace {

/// That of which the scope counts as work in flight.
scheduler& entered(scheduler* s) {
  if (s == nullptr && this_worker() == nullptr) return enter_default_scheduler();
  scheduler& chosen = s != nullptr ? *s : *this_scheduler_worker().runtime;
  refuse_in_child_of_fork(chosen);
  chosen.started();
  return chosen;
}

}  // namespace

scope::scope(scheduler* s) : runs_on_(&entered(s)), begin_with_(strand_state::of_caller()) {}

scope::~scope() { runs_on_->finished(); }

void scope::spawn(spawned_function& f) noexcept {
  running_.add();
  runs_on_->spawn(f);
}

void scope::require_worker(unsigned index) const { runs_on_->require_worker(index); }

void scope::spawn_near(unsigned index, hinted_function& f) noexcept {
  running_.add();
  // First the queue: once the other has run it `f` may only be touched by a way that is left.
  hinted_function::hint& hint = f.by_hint();
  runs_on_->spawn(f);
  runs_on_->submit_to(runs_on_->worker_at(index), hint);
}

void scope::note(std::exception_ptr e) noexcept {
  if (has_thrown_.exchange(true, std::memory_order_relaxed)) return;
  first_exception_ = std::move(e);  // read after join(): the signals order the two
}

void spawn_detached(scheduler& s, spawned_function& f) {
  refuse_in_child_of_fork(s);
  s.started();
  s.spawn(f);
}

void detached_ended(scheduler& s) noexcept { s.finished(); }

void detached_has_thrown() noexcept {
  std::string what = "of unknown type";
  try {
    throw;
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
  }
  broken_invariant(("a function spawned with spawn_detached has thrown an exception (" + what +
                    "), which nobody joins. Catch it there, or spawn it in a nopal::task_scope, "
                    "whose join() throws it")
                       .c_str());
}

}  // namespace nopal::detail
