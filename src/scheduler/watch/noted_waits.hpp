// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "nopal/detail/scheduler/noted_wait.hpp"

namespace nopal::detail {

class scheduler;

/// Knows, in a checking build, all that waits in this process, and whether anything is left in its
/// runtimes that could let it go on.
///
/// The object is made at first use, and never destroyed. A child of fork(2) makes a new one, since
/// another thread of the parent may have had the lock.
class noted_waits {
 public:
  using clock = std::chrono::steady_clock;

  /// Returns the object of this process, or nullptr if there is no memory for it.
  static noted_waits* of_this_process() noexcept;

  /// Says what has waited for as long as `patience`, each once, if no worker of the process has run
  /// anything for as long, and no event of the system is expected. Whoever watches calls this from
  /// time to time.
  void look(std::chrono::milliseconds patience) noexcept;

  /// The patience of a thread that is no worker. Such a thread watches while it waits.
  static std::atomic<std::chrono::milliseconds> patience_of_threads;

 private:
  friend noted_wait;
  friend expected_event;
  friend class noted_scheduler;

  explicit noted_waits(unsigned generation) noexcept : generation_(generation) {}

  [[nodiscard]] bool is_of_this_process() const noexcept;
  [[nodiscard]] std::optional<std::uint64_t> done_if_quiet() const noexcept;
  void say(clock::time_point until) noexcept;

  const unsigned generation_;
  noted_waits* before_ = nullptr;  ///< The parent's object, so that leak checkers find it.
  std::mutex lock_;
  noted_wait* first_ = nullptr;
  std::vector<const scheduler*> schedulers_;
  std::optional<std::uint64_t> done_;  ///< What the workers had done when somebody last looked.
  clock::time_point quiet_since_;
  std::atomic<std::int64_t> expected_{0};  ///< The number of events of the system.
};

/// A scheduler whose workers may let something go on. As long as this lives it keeps its workers.
class noted_scheduler {
 public:
  /// \throws std::bad_alloc
  explicit noted_scheduler(const scheduler& s);
  ~noted_scheduler();
  noted_scheduler(const noted_scheduler&) = delete;
  noted_scheduler& operator=(const noted_scheduler&) = delete;

 private:
  const scheduler* scheduler_;
  noted_waits* in_;
};

}  // namespace nopal::detail
