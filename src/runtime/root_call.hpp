// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace nopal::detail {

class scheduler;

/// A runtime of the parent process is used in a child of fork(2).
class runtime_of_parent : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Refuses a runtime of the parent process. Whatever gives work to a runtime's workers calls this
/// first.
/// \throws runtime_of_parent if the workers of `s` are in the parent of this process.
void refuse_in_child_of_fork(const scheduler& s);

/// Counts something as work in flight, and returns the scheduler that counts it: `s` or, if that is
/// nullptr, the one of the calling worker, or of the default runtime if the caller is no worker.
/// \throws std::logic_error as refuse_in_child_of_fork()
scheduler& entered_scheduler(scheduler* s);

/// Counts a call as finished at its end. The caller has counted it as started.
class counted_call {
 public:
  explicit counted_call(scheduler& counted_by) noexcept : counted_by_(counted_by) {}
  ~counted_call();
  counted_call(const counted_call&) = delete;
  counted_call& operator=(const counted_call&) = delete;

 private:
  scheduler& counted_by_;
};

/// Runs call(argument) on `s`, and returns when it has ended: a thread runs it as a guest or, if
/// that cannot be, blocks in the kernel; a strand of another runtime suspends. Rethrows what the
/// call throws. The caller counts as work in flight.
void run_on(scheduler& s, void (*call)(void*), void* argument);

/// Does the same, but on a worker of `s` it is a plain call. Counts the call as work in flight.
/// \throws std::logic_error as refuse_in_child_of_fork()
void run_on_or_here(scheduler& s, void (*call)(void*), void* argument);

}  // namespace nopal::detail
