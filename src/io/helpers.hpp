// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>

#include "nopal/detail/io/request.hpp"
#include "nopal/detail/platform/list.hpp"

namespace nopal::detail {

/// Threads that make calls that wait. They come when there is something to do and no thread is
/// idle, and go when there has been nothing to do for a second.
class io_helpers {
 public:
  static constexpr std::size_t most = 512;

  /// `lock` guards this object, too. Threads that have come use both until end() has returned.
  explicit io_helpers(std::mutex& lock) noexcept : lock_(&lock) {}

  // All of these are called under the lock.

  /// Has all threads end before the code is unmapped, and waits for them without the lock.
  /// \param idle_only  leaves those alone that make a call, and waits for a second at most.
  void end(std::unique_lock<std::mutex>& l, bool idle_only) noexcept;

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
  [[nodiscard]] bool all_have_gone(bool idle_only) const noexcept {
    return idle_ == 0 && (idle_only || threads_ == 0);
  }

  std::mutex* lock_;
  std::condition_variable changed_;
  intrusive_list queue_;
  std::size_t waiting_ = 0;  ///< Jobs in the queue.
  std::size_t idle_ = 0;     ///< Threads that wait for one, or have been woken for one.
  std::size_t threads_ = 0;
  bool ending_ = false;
  std::condition_variable gone_;  ///< A thread has gone, while end() waits.
  /// The thread that has gone last. It has waited for the one before, so whoever waits for it has
  /// waited for all.
  std::optional<pthread_t> last_gone_;
};

}  // namespace nopal::detail
