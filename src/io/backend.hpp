// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>

#include "io/helpers.hpp"
#include "io/poller.hpp"
#include "io/ring.hpp"
#include "nopal/detail/io/request.hpp"
#include "nopal/io/statistics.hpp"

namespace nopal::detail {

/// Ends the calls that wait, for all runtimes of the process. docs/io.md has the protocol and its
/// argument, tests/models/io.pml the model.
///
/// The backend is made at first use, and in a child of fork(2) anew. It is destroyed only when the
/// code of nopal is unmapped, since its threads hold its address. The parent's backends stay in
/// reach of leak checkers.
class io_backend {
 public:
  /// \throws std::bad_alloc
  static io_backend& of_this_process();
  /// Returns nullptr if none has been made.
  static io_backend* if_made() noexcept;

  io_backend() noexcept;

  /// Ends the threads before the code is unmapped.
  /// \param idle_only  leaves those alone that make a call.
  void end(bool idle_only) noexcept;

  /// See io_request::begin().
  bool begin(io_request& r, waiter& w) noexcept;
  /// Ends `r` with this error number, for a stop or a deadline, unless its call is being made. The
  /// caller keeps `r` alive.
  void refuse(io_request& r, int error) noexcept;
  /// Ends a sleep that is over, and refuses what is late. The timers call it, and the caller keeps
  /// `r` alive.
  void expire(io_request& r) noexcept;
  /// Has a helper thread run the job. Returns 0, or the error number if there is none.
  int run(io_job& job) noexcept;

  /// Does what a helper thread does with a request.
  static void run_request(io_job& job) noexcept;

  [[nodiscard]] io::statistics stats() noexcept;

 private:
  using lock = std::unique_lock<std::mutex>;

  static constexpr std::size_t most_events = 64;  ///< One look brings at most so many.

  /// An event, and the request that is being tried because of it.
  struct turn {
    turn() noexcept = default;
    explicit turn(const epoll_event& e) noexcept
        : fd(io_poller::descriptor_of(e)),
          answered(io_poller::ask_of(e)),
          come(static_cast<short>(e.events)) {}
    int fd;
    std::uint32_t answered;  ///< The number of the ask that has brought the event.
    short come;
    short events;  ///< The ones that `tried` waited for.
    bool has_result;
    io_request* tried = nullptr;
  };

  // These are called under the lock.
  int start(io_request& r) noexcept;
  int start_timer(io_request& r) noexcept;
  int set_timer(io_request& r, io::limits::moment due) noexcept;
  int start_call(io_request& r) noexcept;
  bool start_in_ring(io_request& r) noexcept;
  int start_poller() noexcept;
  void cancel_in_ring(io_request& r) noexcept;
  void end(io_request& r, std::int64_t result) noexcept;
  bool refuse_now(io_request& r, int error) noexcept;
  bool goes_on_after(io_request& r, bool has_result) noexcept;
  void reap(intrusive_list& ended) noexcept;
  bool goes_on_after_ring(io_request& r, std::int64_t result) noexcept;

  static void end_newest(bool process_ends) noexcept;
  void poll() noexcept;  // the poller's thread
  void leave_to_workers(std::uint64_t& before) noexcept;
  bool rest() noexcept;
  void end_rest() noexcept;
  static bool look(bool before_sleep) noexcept;
  // The poller's thread and workers call these.
  void serve(std::span<const epoll_event> events) noexcept;
  void reap_ring() noexcept;
  bool begin_try(turn& t, intrusive_list& ended) noexcept;
  void end_try(turn& t, intrusive_list& ended) noexcept;

  static void end_wait(lock& l, io_request& r) noexcept;
  static void end_waits(lock& l, intrusive_list& ended) noexcept;

  std::mutex mutex_;
  io_helpers helpers_{mutex_};
  io_poller poller_;
  io_ring ring_;
  bool polls_ = false;  ///< The poller's thread has been started.
  pthread_t poller_thread_{};
  std::atomic<bool> ending_{false};
  std::uint64_t waits_ = 0;
  std::atomic<std::uint64_t> looks_{0};    ///< How often a worker has found events.
  std::atomic<std::uint32_t> resting_{0};  ///< 1 while the poller's thread rests.

  const unsigned generation_;
  io_backend* before_ = nullptr;  ///< The parent's.
};

}  // namespace nopal::detail
