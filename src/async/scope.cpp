// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <string>
#include <utility>

#include "nopal/async/spawn_detached.hpp"
#include "nopal/detail/async/near_call.hpp"
#include "nopal/detail/wait/wait_call.hpp"
#include "platform/message.hpp"
#include "runtime/root_call.hpp"
#include "scheduler/scheduler.hpp"

namespace nopal::detail {

#ifdef NOPAL_CHECK

scope::scope(scheduler* s)
    : stops(std::stop_source()),
      runs_on_(&entered_scheduler(s)),
      begin_with_(current_fp_control()) {
  outer_stop_.begin_in_current_scope(stops);
  runs_on_->scopes.fetch_add(1, std::memory_order_relaxed);
}

scope::~scope() {
  runs_on_->scopes.fetch_sub(1, std::memory_order_relaxed);
  runs_on_->finished();
}

/// Describes the wait, for the message that names what waits in vain.
noted_wait::reason join_operation::as_reason() const noexcept {
  const auto describe = [](const void* self, char* text, std::size_t bytes) noexcept {
    const auto& s = *static_cast<const scope*>(self);
    const std::int64_t running = s.running_.load(std::memory_order_relaxed) / scope::one_function;
    std::snprintf(
        text, bytes,
        "a strand, task or thread for the end of %lld function%s of the nopal::task_scope at %p",
        static_cast<long long>(running), running == 1 ? "" : "s", self);
  };
  return {describe, at_};
}

#else

scope::scope(scheduler* s)
    : stops(std::stop_source()),
      runs_on_(&entered_scheduler(s)),
      begin_with_(current_fp_control()) {
  outer_stop_.begin_in_current_scope(stops);
}

scope::~scope() { runs_on_->finished(); }

#endif

void scope::spawn(spawned_function& f) {
  require_workers();
  running_.fetch_add(one_function, std::memory_order_relaxed);
  runs_on_->spawn(f);
}

void scope::require_workers() const { refuse_in_child_of_fork(*runs_on_); }

void scope::require_worker(unsigned index) const {
  require_workers();
  runs_on_->require_worker(index);
}

void scope::spawn_near(unsigned index, hinted_function& f) noexcept {
  running_.fetch_add(one_function, std::memory_order_relaxed);
  // The queue comes first. Once a worker has run `f` by one way, only the way that is left may
  // touch it.
  hinted_function::hint& hint = f.by_hint();
  runs_on_->spawn(f);
  runs_on_->submit_to(runs_on_->worker_at(index), hint);
}

void scope::join() noexcept {
  if (!runs_on_->belongs_to_this_process()) return;
  join_operation o(*this);
  if (!o.take()) wait_until_done(o);
  take_views();
}

/// Puts the views of the functions that have ended behind those of the caller.
void scope::take_views() noexcept {
  if (views_.looks_empty()) return;
  if (strand_views* v = views_.take()) go_on_with_product(v);
}

bool join_operation::take() noexcept {
  return at_->running_.load(std::memory_order_acquire) == 0;  // pairs with take_off()
}

bool join_operation::begin(decision& d, bool /*for_task*/) noexcept {
  d.is_known_by(*this);
  return !at_->announce(d);
}

bool join_operation::withdraw_by_limit(withdrawable& self) noexcept {
  return static_cast<join_operation&>(self).at_->withdraw();
}

/// This is not inlined into the caller's function, because of what it throws: see
/// held_exception.hpp.
void join_operation::value() {
  at_->take_views();
  if (std::exception_ptr e = at_->take_exception()) std::rethrow_exception(std::move(e));
}

/// Has whoever takes off the last function serve `d`. Returns whether the joiner has to wait.
bool scope::announce(decision& d) noexcept {
  joiner_ = &d;
  std::int64_t before = running_.load(std::memory_order_acquire);  // pairs with take_off()
  do {
    if (before == 0) return false;
    if (before % one_function != 0)
      misuse(
          "two strands or threads join one nopal::task_scope at the same time, and only one of "
          "them would go on. If one of them is a function that was spawned in this scope, it waits "
          "for its own end: let it spawn and join in a scope of its own. Otherwise let one join, "
          "and signal the other by a nopal::countdown");
    // This releases for take_off(), which reads joiner_.
  } while (!running_.compare_exchange_weak(before, before + somebody_joins,
                                           std::memory_order_acq_rel, std::memory_order_acquire));
  return true;
}

/// Takes the joiner off for a limit. Returns false if the last function has, or another limit.
bool scope::withdraw() noexcept {
  std::int64_t seen = running_.load(std::memory_order_relaxed);
  do {
    if (seen % one_function == 0) return false;
    // No order is needed: the joiner goes on with nothing that the functions have done.
  } while (!running_.compare_exchange_weak(seen, seen - somebody_joins, std::memory_order_relaxed,
                                           std::memory_order_relaxed));
  return true;
}

/// Counts `n` functions as ended. Returns the decision of whoever joins if these were the last
/// ones; otherwise the scope may be gone.
///
/// The instruction that makes the number 0 takes the joiner off as well. The next join waits for
/// what is spawned after it, which does not let the same joiner go on again.
decision* scope::take_off(std::int64_t n) noexcept {
  std::int64_t before = running_.load(std::memory_order_relaxed);
  std::int64_t after = 0;
  do {
    after = before - n * one_function;
    NOPAL_ASSERT(after >= 0);  // no function ends that was not counted
    if (after == somebody_joins) after = 0;
    // This releases for, and acquires from, the other functions and join(): whoever goes on, or
    // lets the joiner go on, has seen all that they did.
  } while (!running_.compare_exchange_weak(before, after, std::memory_order_acq_rel,
                                           std::memory_order_relaxed));
  return after == 0 && before % one_function != 0 ? joiner_ : nullptr;
}

/// Counts `n` functions as ended, and lets whoever joins go on if these were the last.
void scope::ended(std::int64_t n) noexcept {
  if (decision* joiner = take_off(n)) joiner->serve();
}

/// Counts the last function of a row as ended. Its strand has left its stack.
void scope::last_ended(scope& s) noexcept {
  if (decision* joiner = s.take_off(1)) joiner->serve(&waiter::go_on_here);
}

/// Keeps the exception of a function, if it is the first of this scope that throws.
void scope::note(std::exception_ptr e) noexcept {
  exception none = exception::none;
  // The acquire pairs with the release in take_exception(), which has to have emptied
  // first_exception_ before.
  if (!exception_.compare_exchange_strong(none, exception::being_noted, std::memory_order_acquire,
                                          std::memory_order_relaxed))
    return;
  first_exception_ = std::move(e);
  exception_.store(exception::noted, std::memory_order_release);  // pairs with take_exception()
}

/// Takes the exception that was noted. Functions that others spawn meanwhile may throw at the same
/// time.
std::exception_ptr scope::take_exception() noexcept {
  if (exception_.load(std::memory_order_acquire) != exception::noted) return nullptr;  // note()
  std::exception_ptr e = std::exchange(first_exception_, nullptr);
  exception_.store(exception::none, std::memory_order_release);  // pairs with note()
  return e;
}

void start_detached(scheduler& s, spawned_function& f) {
  refuse_in_child_of_fork(s);
  s.started();
  s.spawn(f);
}

void require_workers_of(const scheduler& s) { refuse_in_child_of_fork(s); }

void detached_ended(scheduler& s) noexcept { s.finished(); }

void detached_has_thrown() noexcept {
  std::string what = "of unknown type";
  try {
    throw;
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {
  }
  misuse(("a function spawned with spawn_detached has thrown an exception (" + what +
          "), which nobody joins. Catch it there, or spawn it in a nopal::task_scope, "
          "whose join() throws it")
             .c_str());
}

}  // namespace nopal::detail
