// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <array>
#include <csignal>

namespace nopal::detail {

/// The setting that a thread hands on to the threads and processes that it starts: the signals that
/// it blocks, and the CPUs that it may run on.
class thread_setting {
 public:
  /// Returns the setting that the calling thread has now.
  static thread_setting of_this_thread() noexcept;

  /// Returns the setting of the thread that needed threads of nopal first: what the program itself
  /// has chosen. A thread that nopal starts in the middle of parallel code does not take over what
  /// its starter happens to have.
  static const thread_setting& of_program() noexcept;

  /// Gives both to the calling thread.
  void apply() const noexcept;

  /// Lets the calling thread run on these CPUs again.
  void apply_cpus() const noexcept;

 private:
  thread_setting() noexcept = default;

  sigset_t blocked_;
  std::array<cpu_set_t, 8> cpus_;
  bool knows_cpus_ = false;  ///< false if there are more CPUs than `cpus_` holds.
};

/// Moves the calling thread to that CPU, and keeps it there. Returns false if that is not
/// permitted.
bool bind_this_thread_to(unsigned cpu) noexcept;

/// Lets the calling thread handle faults of its own, as a message about an overflow needs it.
void unblock_faults() noexcept;

}  // namespace nopal::detail
