// SPDX-License-Identifier: Apache-2.0
// The system call itself, for a thread that may wait in it.
#pragma once

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "nopal/detail/io/call.hpp"
#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// Waits up to `milliseconds`, or for ever if that is -1. Returns the events that have come, 0 if
/// none has, or -1 with errno.
inline int poll_once(int fd, int events, int milliseconds) noexcept {
  pollfd p{fd, static_cast<short>(events), 0};
  const int n = fd < 0 ? 1 : ::poll(&p, 1, milliseconds);  // poll() ignores a negative one
  if (n <= 0) return n;
  if (fd >= 0 && (p.revents & POLLNVAL) == 0) return p.revents;
  errno = EBADF;
  return -1;
}

/// Sleeps until that time. Returns 0, or -1 with errno, which may be EINTR.
inline int sleep_until(std::chrono::steady_clock::time_point until) noexcept {
  const auto since = until.time_since_epoch();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since);
  if (seconds.count() < 0) return 0;
  const timespec at{static_cast<time_t>(seconds.count()),
                    static_cast<long>(std::chrono::nanoseconds(since - seconds).count())};
  errno = ::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
  return errno == 0 ? 0 : -1;
}

/// Returns what the system call returns, with errno.
inline std::int64_t call_once(const io_call& c) noexcept {
  const auto* parts = static_cast<const iovec*>(c.address);
  const bool at = c.offset != io_call::at_position;
  switch (c.operation) {
    case io_operation::read:
      return at ? ::pread(c.fd, c.address, c.length, c.offset) : ::read(c.fd, c.address, c.length);
    case io_operation::readv:
      return at ? ::preadv(c.fd, parts, static_cast<int>(c.length), c.offset)
                : ::readv(c.fd, parts, static_cast<int>(c.length));
    case io_operation::write:
      return at ? ::pwrite(c.fd, c.address, c.length, c.offset)
                : ::write(c.fd, c.address, c.length);
    case io_operation::writev:
      return at ? ::pwritev(c.fd, parts, static_cast<int>(c.length), c.offset)
                : ::writev(c.fd, parts, static_cast<int>(c.length));
    case io_operation::accept:
      return ::accept4(c.fd, nullptr, nullptr, c.flags);
    case io_operation::connect:
      return ::connect(c.fd, static_cast<sockaddr*>(c.address), static_cast<socklen_t>(c.length));
    case io_operation::send:
      return ::send(c.fd, c.address, c.length, c.flags);
    case io_operation::recv:
      return ::recv(c.fd, c.address, c.length, c.flags);
    case io_operation::sendmsg:
      return ::sendmsg(c.fd, static_cast<msghdr*>(c.address), c.flags);
    case io_operation::recvmsg:
      return ::recvmsg(c.fd, static_cast<msghdr*>(c.address), c.flags);
    case io_operation::openat:
      return ::openat(c.fd, c.path, c.flags, static_cast<mode_t>(c.mode));
    case io_operation::close:
      return ::close(c.fd);
    case io_operation::fsync:
      return ::fsync(c.fd);
    case io_operation::statx:
      return ::statx(c.fd, c.path, c.flags, c.mode, static_cast<struct ::statx*>(c.address));
    case io_operation::poll:
      return poll_once(c.fd, c.flags, -1);
    case io_operation::sleep:
      return sleep_until(c.until);
  }
  __builtin_unreachable();
}

/// Goes on with a call that a signal has broken off. A connection goes on being made meanwhile, and
/// a descriptor is closed then.
inline std::int64_t after_signal(const io_call& c) noexcept {
  if (c.operation == io_operation::close) return 0;
  if (c.operation != io_operation::connect) return call_once(c);
  if (poll_once(c.fd, POLLOUT, -1) < 0) return -1;
  socklen_t size = sizeof errno;
  int error = 0;
  if (::getsockopt(c.fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return -1;
  errno = error;
  return error == 0 ? 0 : -1;
}

/// Makes the call, and waits as long as it takes. Returns its result, or the negative error number.
/// A signal does not end it.
///
/// It is not inlined: compilers keep the address of errno, and a caller may change threads
/// afterwards.
NOPAL_NOINLINE inline std::int64_t plain_call(const io_call& c) noexcept {
  std::int64_t n = call_once(c);
  while (n < 0 && errno == EINTR) n = after_signal(c);
  return n < 0 ? -std::int64_t{errno} : n;
}

}  // namespace nopal::detail
