// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <stop_token>

#include "nopal/detail/scheduler/noted_wait.hpp"
#include "nopal/detail/strand/current_scope.hpp"
#include "nopal/detail/wait/timer.hpp"
#include "nopal/detail/wait/waiting_scope.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal::detail {

/// A scope of the calling strand or thread, for as long as this exists. A stop of the scope around
/// it stops it as well.
class entered_scope {
 public:
  /// \throws std::bad_alloc
  entered_scope();
  explicit entered_scope(const std::stop_token& t);
  ~entered_scope();
  entered_scope(const entered_scope&) = delete;
  entered_scope& operator=(const entered_scope&) = delete;

  void request_stop() noexcept { scope_.source.request_stop(); }
  [[nodiscard]] bool is_stopped() const noexcept { return scope_.is_stopped(); }
  /// Whether a stop has come to the scope around this one.
  [[nodiscard]] bool is_stopped_outside() const noexcept {
    return outer_ != nullptr && outer_->is_stopped();
  }

 private:
  waiting_scope scope_;
  stop_scope* outer_;
  stopped_by token_;
  stopped_by outer_stop_;
};

/// A scope that is stopped at a moment.
class timed_scope {
 public:
  /// \throws std::bad_alloc, or std::system_error if the thread of the timers cannot be started.
  explicit timed_scope(const limits& within);
  ~timed_scope();
  timed_scope(const timed_scope&) = delete;
  timed_scope& operator=(const timed_scope&) = delete;

  /// Called in a handler of nopal::stopped. Rethrows that, unless only the deadline has come.
  /// \throws std::system_error with std::errc::timed_out then.
  [[noreturn]] void rethrow() const;

 private:
  struct deadline : timer {
    using timer::timer;
    timed_scope* of = nullptr;
  };
  static void expire(timer& t) noexcept;

  entered_scope scope_;
  deadline deadline_{expire};
  std::atomic<bool> is_over_{false};
  [[no_unique_address]] expected_event ends_;
};

}  // namespace nopal::detail
