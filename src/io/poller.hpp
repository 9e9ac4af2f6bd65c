// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/epoll.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <span>
#include <unordered_map>

#include "nopal/detail/io/request.hpp"
#include "nopal/detail/platform/list.hpp"

namespace nopal::detail {

/// Knows which requests wait for events of which descriptor, and when to wake next: epoll(7) and a
/// timer. All functions but those that wait or look, is_timer() and note_timer() are called under
/// the lock of the backend. One thread at a time waits.
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

  /// Makes wait() tell of this descriptor as long as it is readable. Returns 0 or the error number,
  /// and 0 if it tells already.
  int watch(int fd) noexcept;

  /// Lists `r` until one of r.events comes on its descriptor. Returns 0 or the error number: EPERM
  /// if such a file has no events.
  int add(io_request& r) noexcept;
  /// Returns the first request listed for that descriptor that one of `come` lets go on, or
  /// nullptr.
  /// \param answered  the number of the ask that has brought `come`. \see ask_of
  [[nodiscard]] io_request* first_ready(int fd, short come, std::uint32_t answered) noexcept;
  /// Lists `r` again, before all others.
  void add_again(io_request& r) noexcept;
  /// Asks for the events that requests are listed for, after some have come: for none if nobody
  /// waits any more. Returns 0 or the error number.
  int ask_again(int fd) noexcept;
  /// Notes that a helper thread makes the call of `r` after its events. Until take_back() the other
  /// requests that need a thread after the same events wait for it: they would all come for one
  /// event.
  void hand_out(io_request& r) noexcept;
  /// Undoes hand_out(), if it was called for `r`, which has ended, and then does what ask_again()
  /// does.
  void take_back(io_request& r) noexcept;

  /// Forgets the events that are asked for a descriptor for which nobody waits any more.
  void ask_no_more(int fd) noexcept;

  /// Waits until events have come, for `patience` at most, and returns them.
  std::span<const epoll_event> wait(std::span<epoll_event> room,
                                    std::chrono::milliseconds patience) noexcept;
  /// Waits without a limit, and look() finds nothing meanwhile. Returns no events at once if a
  /// thread is just looking.
  std::span<const epoll_event> wait_alone(std::span<epoll_event> room) noexcept;
  /// Returns the events that have come already.
  std::span<const epoll_event> look(std::span<epoll_event> room) noexcept;
  [[nodiscard]] static int descriptor_of(const epoll_event& e) noexcept {
    return static_cast<int>(e.data.u64);
  }
  /// Returns the number of the ask for this descriptor that has brought the event.
  [[nodiscard]] static std::uint32_t ask_of(const epoll_event& e) noexcept {
    return static_cast<std::uint32_t>(e.data.u64 >> 32);
  }

 private:
  struct waiters {
    intrusive_list list;
    /// The events that epoll will tell once, or has told a thread that has not served them yet. 0
    /// if epoll is not asked.
    short asked = 0;
    short handed = 0;        ///< Events after which a helper thread makes a call.
    std::uint32_t asks = 0;  ///< How often epoll has been asked. Each event has this as a number.

    /// The events that let `r` go on now.
    [[nodiscard]] short awaited_by(const io_request& r) const noexcept {
      return r.needs_thread ? static_cast<short>(r.events & ~handed) : r.events;
    }
  };

  int ask(int fd, waiters& w, short events) noexcept;
  std::span<const epoll_event> events_within(int timeout,
                                             std::span<epoll_event> room) const noexcept;

  int epoll_ = -1;
  int end_ = -1;                           ///< Readable from end_waits() on.
  std::atomic<bool> alone_{false};         ///< wait_alone() is running.
  std::atomic<std::uint32_t> looking_{0};  ///< The threads in look().
  /// The waiters of each descriptor. An entry stays when nobody waits any more.
  std::unordered_map<int, waiters> waiters_;
};

}  // namespace nopal::detail
