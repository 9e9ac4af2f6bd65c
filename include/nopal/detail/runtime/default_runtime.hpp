// SPDX-License-Identifier: Apache-2.0
// What is called on a thread that is no worker comes to the default runtime by these functions.
#pragma once

namespace nopal::detail {

class scheduler;

/// Runs f(argument) on the default runtime, from a thread that is no worker; an exception comes
/// back to the caller.
void run_on_default_runtime(void (*f)(void*), void* argument);

/// Returns the scheduler of the default runtime, which is started at first use. In a child of
/// fork(2) it is a fresh one. It counts the caller as a call in flight, so the caller calls
/// finished() at its end: exit(3) ends the default runtime, and a thread may come just then.
scheduler& enter_default_scheduler();

/// Has `f` called when the first default runtime has started, by the thread that starts it and
/// before that thread uses it. Returns false if it has started.
/// \throws std::bad_alloc
bool at_default_start(void (*f)());

/// Whether the default runtime has started, and not ended.
bool default_runtime_runs() noexcept;

/// Sets the number of workers of the next default runtime; 0 is one for each CPU. Returns false,
/// and does nothing, while a default runtime runs. Larger numbers than options::workers allows make
/// the start throw.
bool set_default_workers(unsigned n) noexcept;

/// Ends the default runtime, if one runs and the caller is none of its workers. It waits for all
/// work in flight. The next call from outside starts another one.
void end_default_runtime() noexcept;

/// Set while this thread, which is no worker, runs a function that a strand waits for. exit(3) in
/// that function does not end the default runtime, whose workers may wait for that strand.
extern constinit thread_local bool a_strand_waits_for_this_thread;

}  // namespace nopal::detail
