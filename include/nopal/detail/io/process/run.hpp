// SPDX-License-Identifier: Apache-2.0
// A process from its start to its end, with all that it reads and writes.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "nopal/detail/io/call.hpp"
#include "nopal/detail/io/process/child.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/sigpipe_held.hpp"
#include "nopal/detail/wait/moment.hpp"
#include "nopal/io/limits.hpp"
#include "nopal/io/process_options.hpp"
#include "nopal/stop.hpp"

namespace nopal::detail {
#ifdef NOPAL_SERIAL
inline namespace serial_io {  // its limits are those of the serial elision
#endif

/// Moves bytes from and to the pipes of a process, and ends the process after a limit. Whoever runs
/// the process makes the call wait() within() a time, and calls step(), as long as it goes_on().
class process_run {
 public:
  using clock = std::chrono::steady_clock;

  /// \param input  it has to stay until the end.
  process_run(child c, io::const_bytes input, std::chrono::milliseconds grace,
              const io::limits& within)
      : child_(std::move(c)),
        input_(input),
        grace_(grace),
        within_(within),
        events_(::epoll_create1(EPOLL_CLOEXEC)) {
    for (unsigned i = 0; i < child_.streams.size(); ++i) {
      const int fd = child_.streams[i].get();
      if (fd < 0) continue;
      ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);  // no other process has this end
      add(fd, i == STDIN_FILENO ? EPOLLOUT : EPOLLIN);
    }
    if (child_.exit_descriptor() >= 0) add(child_.exit_descriptor(), EPOLLIN);
  }

  /// Whether the process runs, or its pipes may bring more.
  [[nodiscard]] bool goes_on() const noexcept {
    return !has_ended_ || (phase_ == phase::runs && open_streams() > 0);
  }
  /// Returns the next wait. After a limit the process has its grace, which no stop of the caller's
  /// scope shortens.
  [[nodiscard]] io_call wait() const noexcept {
    io_call c = io_call::poll(events_.get(), POLLIN);
    c.is_unbroken = phase_ != phase::runs;
    return c;
  }
  /// Returns how long the next wait may take.
  [[nodiscard]] io::limits within() const {
    io::limits next;
    if (phase_ == phase::runs) next = within_;
    if (phase_ == phase::terminates) next.deadline = kill_at_;
    if (child_.exit_descriptor() < 0 && !has_ended_)  // then nothing tells the end
      next.deadline = std::min(next.deadline, clock::now() + std::chrono::milliseconds(2));
    return next;
  }

  /// Does what can be done now.
  /// \param waited  the error of the wait.
  NOPAL_NOINLINE void step(const std::error_code& waited) {
    if (!has_ended_ && child_.has_ended()) {
      has_ended_ = true;  // before the last look at the pipes
      if (child_.exit_descriptor() >= 0) remove(child_.exit_descriptor());
    }
    if (child_.streams[STDIN_FILENO].get() >= 0) write_some();
    read_some(STDOUT_FILENO, result.output);
    read_some(STDERR_FILENO, result.errors);
    if (!goes_on()) return;
    look_at_limits(waited == std::errc::operation_canceled || stop_requested());
    if (waited && waited != std::errc::timed_out && waited != std::errc::operation_canceled)
      give_up(waited);
  }

  /// Reaps the process. Returns the limit that has ended it, or the error. Precondition: it does
  /// not go on.
  std::error_code end() {
    std::error_code error;
    result.status = child_.reap(error);
    return limit_ ? limit_ : error;
  }

  io::process_result result;

 private:
  enum class phase : unsigned char { runs, terminates, is_killed };

  void add(int fd, EPOLL_EVENTS events) noexcept {
    epoll_event e{};
    e.events = events;
    ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, fd, &e);
  }
  void remove(int fd) noexcept { ::epoll_ctl(events_.get(), EPOLL_CTL_DEL, fd, nullptr); }
  void close(int stream) noexcept {
    owned_descriptor& s = child_.streams[static_cast<unsigned>(stream)];
    remove(s.get());
    s.reset();
  }
  [[nodiscard]] unsigned open_streams() const noexcept {
    unsigned n = 0;
    for (const owned_descriptor& s : child_.streams) n += s.get() >= 0 ? 1U : 0U;
    return n;
  }

  void write_some() noexcept {
    const ssize_t n = input_.empty() ? 0 : without_sigpipe(false, [this] {
      return ::write(child_.streams[STDIN_FILENO].get(), input_.data(), input_.size());
    });
    if (n > 0) input_ = input_.subspan(static_cast<std::size_t>(n));
    const bool waits = n < 0 && (errno == EAGAIN || errno == EINTR);
    // What the process has started may read on, but the input was for the process alone.
    if (input_.empty() || (n < 0 && !waits) || has_ended_) close(STDIN_FILENO);
  }
  void read_some(int stream, std::string& to) {
    const int fd = child_.streams[static_cast<unsigned>(stream)].get();
    if (fd < 0) return;
    const ssize_t n = ::read(fd, room_.data(), room_.size());
    if (n > 0)
      to.append(room_, 0, static_cast<std::size_t>(n));
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
      close(stream);
  }

  void look_at_limits(bool is_stopped) noexcept {
    const auto now = clock::now();
    if (phase_ == phase::runs) {
      const bool stops = is_stopped || within_.stop.stop_requested();
      if (!stops && now < within_.deadline) return;
      limit_.assign(stops ? ECANCELED : ETIMEDOUT, std::system_category());
      phase_ = phase::terminates;
      kill_at_ = from_now(grace_);
      child_.signal(SIGTERM);
    } else if (phase_ == phase::terminates && now >= kill_at_) {
      phase_ = phase::is_killed;
      child_.signal(SIGKILL);
    }
  }

  /// Ends a process about which the system tells nothing.
  void give_up(const std::error_code& why) noexcept {
    if (!limit_) limit_ = why;
    phase_ = phase::is_killed;
    child_.signal(SIGKILL);
  }

  child child_;
  std::span<const std::byte> input_;  ///< What is left of it.
  std::chrono::milliseconds grace_;
  io::limits within_;
  owned_descriptor events_;  ///< An epoll.
  phase phase_ = phase::runs;
  clock::time_point kill_at_{};
  bool has_ended_ = false;
  std::error_code limit_;
  std::string room_ = std::string(1 << 16, '\0');  ///< What is read comes here first.
};

#ifdef NOPAL_SERIAL
}  // namespace serial_io
#endif
}  // namespace nopal::detail
