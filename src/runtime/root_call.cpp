// SPDX-License-Identifier: Apache-2.0
#include "runtime/root_call.hpp"

#include <exception>
#include <optional>
#include <utility>

#include "nopal/detail/runtime/default_runtime.hpp"
#include "nopal/detail/strand/strand.hpp"
#include "nopal/detail/wait/waiter.hpp"
#include "nopal/detail/wait/waiting_scope.hpp"
#include "runtime/lend.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/scheduler_worker.hpp"

namespace nopal::detail {
namespace {

/// A call from outside. It lies on the stack of the caller, a thread or a strand of another
/// runtime, which waits.
struct root_call : continuation {
  root_call(scheduler& s, void (*c)(void*), void* a)
      : continuation(run_call),
        runs_on(&s),
        call(c),
        argument(a),
        caller_state(strand_state::of_caller()) {
    if (caller_state.scope == nullptr) return;
    scope.emplace(caller_state.scope->source);
    caller_state.scope = &*scope;
  }

  scheduler* runs_on;
  void (*call)(void*);
  void* argument;
  waiter* caller = nullptr;  ///< Set before this is submitted.
  /// The scope of the call, if the caller is in one.
  std::optional<waiting_scope> scope;
  /// The call begins with what a plain call would find, and leaves its views here.
  strand_state caller_state;
  std::exception_ptr exception;

  /// The worker that takes the call from the inbox runs this, as its continuation.
  static void run_call(continuation& c, worker& w) noexcept {
    auto& root = static_cast<root_call&>(c);
    start_strand(w, {strand, &root, root.caller_state});
  }

  /// Makes the call. This is a whole strand.
  static void strand(void* self) {
    auto& root = *static_cast<root_call*>(self);
    try {
      root.call(root.argument);
    } catch (...) {
      root.exception = std::current_exception();
    }
    root.caller_state.views = take_views_of_strand();
    end_strand({announce, &root, nullptr});
  }

  /// Lets the caller go on, when the strand has left its stack.
  static suspension* announce(void* self) noexcept {
    static_cast<root_call*>(self)->caller->go_on();  // the call may be gone now
    return nullptr;
  }
};

}  // namespace

void refuse_in_child_of_fork(const scheduler& s) {
  if (!s.belongs_to_this_process())
    throw runtime_of_parent(
        "nopal: this runtime was started before fork(2), and its workers run in the parent process "
        "only; start a runtime of "
        "your own in the child, or call nopal::run");
}

scheduler& entered_scheduler(scheduler* s) {
  if (s == nullptr && !is_on_worker_of_this_process()) return enter_default_scheduler();
  scheduler& chosen = s != nullptr ? *s : *this_scheduler_worker().belongs_to;
  refuse_in_child_of_fork(chosen);
  chosen.started();
  return chosen;
}

counted_call::~counted_call() { counted_by_.finished(); }

void run_on(scheduler& s, void (*call)(void*), void* argument) {
  if (this_worker() == nullptr && run_as_guest(s, call, argument)) return;
  root_call root(s, call, argument);
  wait_for([&root](waiter& w) noexcept {
    root.caller = &w;
    root.runs_on->submit(root);
    return true;
  });
  set_views_of_strand(root.caller_state.views);
  if (this_worker() == nullptr) views_come_back_to_thread();
  if (root.exception != nullptr) std::rethrow_exception(std::move(root.exception));
}

void run_on_or_here(scheduler& s, void (*call)(void*), void* argument) {
  if (this_worker() != nullptr && this_scheduler_worker().belongs_to == &s) return call(argument);
  refuse_in_child_of_fork(s);
  s.started();
  const counted_call counted(s);
  run_on(s, call, argument);
}

}  // namespace nopal::detail
