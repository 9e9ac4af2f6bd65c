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
/// wait() and note_timer() under the lock of the backend.
class io_poller {
 public:
  io_poller() noexcept = default;
  ~io_poller();
  io_poller(const io_poller&) = delete;
  io_poller& operator=(const io_poller&) = delete;

  /// Returns 0 or the error number. Nothing else may be called before it has returned 0.
  int open() noexcept;

  /// Makes each wait() from here on return at once.
  void end_waits() noexcept;

  /// wait() tells of this descriptor as long as it is readable. Returns 0 or the error number, and
  /// 0 if it tells already.
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
  /// A helper thread makes the call of `r` after its events. Until take_back() the others that need
  /// a thread after the same events wait for it: they would all come for one event.
  void hand_out(io_request& r) noexcept;
  void take_back(io_request& r) noexcept;

  /// wait() returns at that moment, too.
  void wake_at(std::chrono::steady_clock::time_point moment) noexcept;

  /// Waits until events have come, and returns them. One whose descriptor is that of the timer
  /// means that the moment has.
  std::span<const epoll_event> wait(std::span<epoll_event> room) noexcept;
  /// The same, of those that have come already.
  std::span<const epoll_event> look(std::span<epoll_event> room) noexcept;
  [[nodiscard]] bool is_timer(const epoll_event& e) const noexcept { return e.data.fd == timer_; }
  /// Before whoever waits for the moment is looked for: wait() does not tell of it again.
  void note_timer() noexcept;

 private:
  struct waiters {
    io_list list;
    short asked = 0;   ///< What epoll will tell once.
    short handed = 0;  ///< Events after which a helper thread makes a call.

    /// The events that let `r` go on now.
    [[nodiscard]] short awaited_by(const io_request& r) const noexcept {
      return r.needs_thread ? static_cast<short>(r.events & ~handed) : r.events;
    }
  };

  int ask(int fd, waiters& w, short events) noexcept;
  std::span<const epoll_event> events_within(int timeout, std::span<epoll_event> room) noexcept;

  int epoll_ = -1;
  int timer_ = -1;
  int end_ = -1;  ///< Always readable; -1 before end_waits().
  /// By descriptor. Those that nobody waits for any more stay.
  std::unordered_map<int, waiters> waiters_;
};

}  // namespace nopal::detail
