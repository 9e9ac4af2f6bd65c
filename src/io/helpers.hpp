// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "io/list.hpp"

namespace nopal::detail {

/// Starts a thread that nobody joins and that runs f(argument), where the program may run and not
/// only the thread that starts it. It blocks signals. Returns 0 or the error number.
int start_io_thread(void (*f)(void*) noexcept, void* argument) noexcept;

/// Threads that make calls that wait. They come when there is something to do and no thread is
/// idle, and go when there has been nothing to do for a second.
class io_helpers {
 public:
  static constexpr std::size_t most = 512;

  /// `lock` guards this object, too. Threads that have come use both for ever.
  explicit io_helpers(std::mutex& lock) noexcept : lock_(&lock) {}

  // Under the lock.

  /// Has a thread call job.run(job). Returns 0, or the error number if there is no thread, and none
  /// can be started: nothing has been done then.
  int put(io_job& job) noexcept;
  /// Takes a job back that no thread runs yet.
  void take_back(io_job& job) noexcept {
    job.unlink();
    --waiting_;
  }
  [[nodiscard]] std::size_t threads() const noexcept { return threads_; }

 private:
  int start_thread() noexcept;
  void thread_main() noexcept;

  std::mutex* lock_;
  std::condition_variable changed_;
  io_list queue_;
  std::size_t waiting_ = 0;  ///< Jobs in the queue.
  std::size_t idle_ = 0;     ///< Threads that wait for one, or have been woken for one.
  std::size_t threads_ = 0;
};

}  // namespace nopal::detail
