// SPDX-License-Identifier: Apache-2.0
#include "runtime/root_call.hpp"

#include <atomic>
#include <cstdint>
#include <exception>
#include <stdexcept>

#include "nopal/detail/strand/strand.hpp"
#include "platform/futex.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/scheduler_worker.hpp"

namespace nopal::detail {
namespace {

/// A call from outside. It lies on the stack of the caller, which waits until done() has been
/// called.
struct root_call : continuation {
  root_call(scheduler& s, void (*c)(void*), void* a, void (*d)(root_call&) noexcept)
      : continuation(run_call),
        runs_on(&s),
        call(c),
        argument(a),
        done(d),
        caller_state(strand_state::of_caller()) {
    runs_on->started();
  }

  scheduler* runs_on;
  void (*call)(void*);
  void* argument;
  void (*done)(root_call&) noexcept;  ///< The last thing done with this object.
  /// The call begins with what a plain call would find, and leaves its views here.
  strand_state caller_state;
  std::exception_ptr exception;

  static void run_call(continuation& c, worker& w) noexcept {
    auto& root = static_cast<root_call&>(c);
    start_strand(w, {strand, &root, root.caller_state});
  }

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

  static suspension* announce(void* self) noexcept {
    auto& root = *static_cast<root_call*>(self);
    scheduler& s = *root.runs_on;
    root.done(root);
    s.finished();
    return nullptr;
  }
};

/// The caller is a thread that is no worker.
struct call_of_thread : root_call {
  call_of_thread(scheduler& s, void (*c)(void*), void* a) : root_call(s, c, a, wake) {}

  std::atomic<std::uint32_t> ended{0};

  static void wake(root_call& self) noexcept {
    std::atomic<std::uint32_t>& word = static_cast<call_of_thread&>(self).ended;
    word.store(1, std::memory_order_release);  // pairs with wait()
    // The object may be gone now. At worst some thread is woken for no reason, and every thread
    // that waits allows for that.
    futex_wake(word, 1);
  }

  void wait() noexcept {
    while (ended.load(std::memory_order_acquire) == 0) futex_wait(ended, 0);  // pairs with wake()
  }
};

/// The caller is a strand of another runtime.
struct call_of_strand : root_call {
  call_of_strand(scheduler& s, void (*c)(void*), void* a)
      : root_call(s, c, a, send_back), from(this_scheduler_worker().runtime) {}

  scheduler* from;
  suspension caller;

  static void send_back(root_call& self) noexcept {
    auto& whole = static_cast<call_of_strand&>(self);
    whole.from->submit_resumption(whole.caller.as_resumption());
  }
  static suspension* send(void* self) noexcept {
    auto& whole = *static_cast<call_of_strand*>(self);
    whole.runs_on->submit(whole);
    return nullptr;
  }
};

}  // namespace

void refuse_in_child_of_fork(const scheduler& s) {
  if (!s.belongs_to_this_process())
    throw std::logic_error(
        "nopal: this runtime was started before fork(2), and its workers run in the parent process "
        "only; start a runtime of "
        "your own in the child, or call nopal::run");
}

void run_on(scheduler& s, void (*call)(void*), void* argument) {
  refuse_in_child_of_fork(s);
  std::exception_ptr e;
  if (is_on_worker_of_this_process()) {
    call_of_strand root(s, call, argument);
    suspend_strand(root.caller, {call_of_strand::send, &root, &root.caller.saved});
    set_views_of_strand(root.caller_state.views);
    e = root.exception;
  } else {
    call_of_thread root(s, call, argument);
    s.submit(root);
    root.wait();
    set_views_of_strand(root.caller_state.views);
    if (this_worker() == nullptr) views_come_back_to_thread();
    e = root.exception;
  }
  if (e != nullptr) std::rethrow_exception(std::move(e));
}

void run_on_or_here(scheduler& s, void (*call)(void*), void* argument) {
  if (this_worker() != nullptr && this_scheduler_worker().runtime == &s)
    call(argument);
  else
    run_on(s, call, argument);
}

}  // namespace nopal::detail
