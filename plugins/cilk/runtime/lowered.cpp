// SPDX-License-Identifier: Apache-2.0
// The functions that the plugin puts into functions that spawn. They are compiled to bitcode, from
// which the pass takes and inlines them. So the fork, the deque and the join are those of the
// library's own front ends. docs/cilk.md says which call stands for what. A grep for the callers of
// nopal_cilk_<name> must look for runtime::function("<name>") in the plugin, which writes the call.
#include <cxxabi.h>

#include <cstddef>
#include <cstdint>
#include <new>

#include "nopal/detail/cilk/invoked.hpp"
#include "nopal/detail/cilk/spawned.hpp"
#include "nopal/detail/reducer/view_table.hpp"
#include "nopal/reducer/c_reducer.h"

using nopal::detail::child_function;
using nopal::detail::cilk_invoked;
using nopal::detail::cilk_spawned;
using nopal::detail::continuation;
using nopal::detail::frame_join;
using nopal::detail::suspension;
using nopal::detail::word;
using nopal::detail::worker;

namespace {

frame_join& join_of(void* frame) noexcept { return *static_cast<frame_join*>(frame); }

cilk_invoked& invoked(void* join) noexcept { return *static_cast<cilk_invoked*>(join); }

}  // namespace

#define NOPAL_LOWERED extern "C" __attribute__((used))

NOPAL_LOWERED const std::uint64_t nopal_cilk_frame_bytes = sizeof(frame_join);

// The pass writes calls of these into the spawning function: pass/spawning.cpp and pass/helper.cpp.

NOPAL_LOWERED void nopal_cilk_enter(void* frame) noexcept { new (frame) frame_join; }

NOPAL_LOWERED void nopal_cilk_fork(void* frame, child_function helper, word w0, word w1, word w2,
                                   word w3, word w4) {
  join_of(frame).fork(helper, w0, w1, w2, w3, w4);
}

NOPAL_LOWERED void nopal_cilk_join(void* frame) { join_of(frame).join(); }

NOPAL_LOWERED void nopal_cilk_end(void* frame) { join_of(frame).end(); }

/// Joins in a landing pad, before any destructor runs. A spawned child comes first in the serial
/// order, so its exception takes the place of the one that is being thrown.
NOPAL_LOWERED void nopal_cilk_join_unwinding(void* frame, void* exception) {
  try {
    join_of(frame).join();
  } catch (...) {
    abi::__cxa_begin_catch(exception);
    abi::__cxa_end_catch();
    throw;
  }
}

// The pass writes calls of these into the helper, the function that a spawned call is moved to:
// pass/helper.cpp.

NOPAL_LOWERED bool nopal_cilk_outside() noexcept { return nopal::detail::this_worker() == nullptr; }

/// Calls the helper again, on a worker of the default runtime.
NOPAL_LOWERED std::size_t nopal_cilk_enter_and_run(word w0, word w1, suspension* frame, word w2,
                                                   word w3, word w4,
                                                   child_function helper) noexcept {
  // A guest has no number of a worker, which a Cilk program may use as an index.
  return frame_join::enter_and_run(helper, w0, w1, frame, w2, w3, w4,
                                   nopal::detail::lend_to::worker);
}

/// The helper calls this just before the spawned function: from here on a thief may go on with the
/// spawning function.
NOPAL_LOWERED void nopal_cilk_detach(cilk_spawned* s, suspension* frame) noexcept {
  s->frame = &frame_join::of_child(frame);
  s->order = s->frame->order();
  s->stealable = s->frame->push(nopal::detail::this_worker());
}

/// The helper calls this when the spawned function has returned. It comes back if nobody stole the
/// spawning function; otherwise the strand of the helper ends here.
NOPAL_LOWERED void nopal_cilk_leave(cilk_spawned* s) noexcept {
  nopal::detail::in_memory(*s);
  if (!s->stealable || nopal::detail::take_back_newest()) [[likely]]
    return;
  s->frame->arrive(s->order);
}

// The pass makes a closure of what follows a spawn, the rest, if it can. Then it writes calls of
// these into the spawning function: pass/invoke.cpp.

NOPAL_LOWERED const std::uint64_t nopal_cilk_invoked_bytes = sizeof(cilk_invoked);

/// Returns nullptr on a thread that is no worker.
NOPAL_LOWERED worker* nopal_cilk_this_worker() noexcept { return nopal::detail::this_worker(); }

/// Makes the rest stealable before the spawned function is called. A thief runs it by `run_stolen`.
NOPAL_LOWERED std::int64_t nopal_cilk_push(void* join, worker* w,
                                           void (*run_stolen)(continuation&,
                                                              worker&) noexcept) noexcept {
  return (new (join) cilk_invoked(run_stolen, w))->push(w);
}

/// The owner asks this when the spawned function has returned. Returns true if it has to run the
/// rest itself. Otherwise a thief has run the rest, and the owner has waited for it.
NOPAL_LOWERED bool nopal_cilk_take_back(void* join, std::int64_t position) {
  if (invoked(join).take_back(position)) [[likely]]
    return true;
  return nopal::detail::address_now(invoked(join))->was_not_pushed_or_wait();
}

// The pass writes calls of these where a reducer is declared or used: pass/views.cpp. The functions
// of the program must not throw.

NOPAL_LOWERED void nopal_cilk_begin_reducer(void* variable,
                                            const nopal_reducer_type* type) noexcept {
  nopal_reducer_register(variable, type);
}

NOPAL_LOWERED void nopal_cilk_end_reducer(void* variable) noexcept {
  nopal_reducer_unregister(variable);
}

/// Returns the view of a variable of a function that is a reducer.
NOPAL_LOWERED void* nopal_cilk_view(void* variable, const nopal_reducer_type* type) noexcept {
  if (void* value = nopal::detail::value_found_first(variable)) [[likely]]
    return value;
  return nopal_reducer_lookup(variable, type);
}

/// Returns the view of a nopal::reducer, whose functions may throw.
NOPAL_LOWERED void* nopal_cilk_reducer_view(const void* key,
                                            nopal::detail::view* (*make)(const void*)) {
  return nopal::detail::value_of_view(key, make, key);
}

/// Returns the view of a variable of static storage that is a reducer.
NOPAL_LOWERED void* nopal_cilk_static_view(void* variable,
                                           const nopal_reducer_type* type) noexcept {
  if (void* value = nopal::detail::value_found_first(variable)) [[likely]]
    return value;
  return nopal_reducer_lookup_static(variable, type);
}
