// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/epoll.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "io/list.hpp"

namespace nopal::detail {

/// Who waits for events of which descriptor, and when to wake next: epoll(7) and a timer. All but
/// wait() under the lock of the backend.
class io_poller {
 public:
  /// Returns 0 or the error number. Nothing else may be called before it has returned 0.
  int open() noexcept;
  [[nodiscard]] bool is_open() const noexcept { return epoll_ >= 0; }
  /// In a child of fork(2), which has the descriptors of its parent.
  void close() noexcept;

  /// wait() tells of this descriptor as long as it is readable.
  int watch(int fd) noexcept;

  /// Lists `r` until one of r.events comes on its descriptor. Returns 0 or the error number: EPERM
  /// if such a file has no events.
  int add(io_request& r) noexcept;
  /// The first request listed for that descriptor which one of `come` lets go on, or nullptr.
  [[nodiscard]] io_request* first_ready(int fd, short come) noexcept;
  /// Lists `r` again, before all others.
  void add_again(io_request& r) noexcept;
  /// After events have come: asks for those that requests are listed for. Returns 0 or the error
  /// number.
  int ask_again(int fd) noexcept;

  /// wait() returns at that moment, too.
  void wake_at(std::chrono::steady_clock::time_point moment) noexcept;

  /// The moment has come: wait() does not tell of it again.
  void note_moment() noexcept;

  /// Waits until events have come, and returns them. One whose descriptor is that of the timer
  /// means that the moment has.
  std::span<const epoll_event> wait(std::span<epoll_event> room) noexcept;
  [[nodiscard]] bool is_timer(const epoll_event& e) const noexcept { return e.data.fd == timer_; }

 private:
  struct waiters {
    io_list list;
    short asked = 0;  ///< What epoll will tell once.
  };

  int ask(int fd, waiters& w, short events) noexcept;

  int epoll_ = -1;
  int timer_ = -1;
  /// By descriptor. Those that nobody waits for any more stay.
  std::unordered_map<int, waiters> waiters_;
};

}  // namespace nopal::detail
