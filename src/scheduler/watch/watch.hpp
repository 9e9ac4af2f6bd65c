// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "platform/threads/forget_thread.hpp"
#include "scheduler/watch/futex_waits.hpp"

namespace nopal::detail {

class scheduler;

/// A thread of a checking build, which says once if all workers of a runtime have been blocked for
/// some time while work waits: each is inside a strand, sleeps in the kernel, and has come to no
/// fork and no join. It names each worker, too, that one futex call has kept for a second.
///
/// A worker that computes is not blocked, however long it takes.
class watch {
 public:
  /// \param patience  how long they must have been blocked.
  watch(scheduler& s, std::chrono::milliseconds patience);
  ~watch();
  watch(const watch&) = delete;
  watch& operator=(const watch&) = delete;

  /// Gives up the thread in a child of fork(2), in which there is no such thread to wait for.
  void leave_to_parent() noexcept { forget_thread(thread_); }

 private:
  void run(std::chrono::milliseconds patience);
  void say_blocked(std::chrono::milliseconds patience) const;

  scheduler& scheduler_;
  futex_waits futex_waits_;              ///< Only the thread uses it.
  std::atomic<std::uint32_t> ended_{0};  ///< A futex.
  std::thread thread_;
};

}  // namespace nopal::detail
