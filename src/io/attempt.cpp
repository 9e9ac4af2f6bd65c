// SPDX-License-Identifier: Apache-2.0
// Nothing here changes O_NONBLOCK of a descriptor: all descriptors of the same open file share the
// flag, those of other processes too.
#include "io/attempt.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>

#include "nopal/detail/io/plain_call.hpp"
#include "nopal/detail/platform/sigpipe_held.hpp"

namespace nopal::detail {
namespace {

// The functions below return what attempt() returns: whether the result is there. They end by one
// of the next three, or by leave_to_thread_after().

/// Notes the result of a system call that has returned `n`, with errno if that is negative.
bool end_with(io_request& r, std::int64_t n) noexcept {
  r.result = n < 0 ? -std::int64_t{errno} : n;
  return true;
}

/// Notes that the call would wait until one of these events.
bool wait_for_events(io_request& r, short events) noexcept {
  r.events = events;
  return false;
}

/// Notes that only a helper thread may make the call: no attempt at it is sure not to wait. Nothing
/// opens, closes or syncs a file without waiting, nor connects a socket without O_NONBLOCK.
bool leave_to_thread(io_request& r) noexcept {
  r.events = 0;
  r.needs_thread = true;
  return false;
}

bool does_not_block(int fd) noexcept {
  const int flags = fcntl(fd, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) != 0;
}

/// Whether this is a file about which O_NONBLOCK says nothing.
bool is_on_disk(int fd) noexcept {
  struct ::stat s{};
  return fstat(fd, &s) == 0 && (S_ISREG(s.st_mode) || S_ISBLK(s.st_mode));
}

/// Notes that a helper thread is to make the call after these events. It may wait even then:
/// another may have taken what they announced.
bool leave_to_thread_after(io_request& r, short events) noexcept {
  r.needs_thread = true;
  return wait_for_events(r, events);
}

/// Attempts to read (if `events` is POLLIN) or write. RWF_NOWAIT keeps this one call from waiting,
/// if the file knows it.
bool attempt_transfer(io_request& r, short events) noexcept {
  const io_call& c = r.call;
  const bool has_parts = c.operation == io_operation::readv || c.operation == io_operation::writev;
  const iovec one{c.address, c.length};
  const iovec* parts = has_parts ? static_cast<const iovec*>(c.address) : &one;
  const int count = has_parts ? static_cast<int>(c.length) : 1;
  const auto n = events == POLLIN ? preadv2(c.fd, parts, count, c.offset, RWF_NOWAIT)
                                  : without_sigpipe(false, [&] {
                                      return pwritev2(c.fd, parts, count, c.offset, RWF_NOWAIT);
                                    });
  if (n >= 0) return end_with(r, n);
  switch (errno) {
    case EAGAIN:
      return wait_for_events(r, events);
    case EOPNOTSUPP:
    case ENOSYS:
      break;
    default:
      return end_with(r, n);
  }
  // The file does not know RWF_NOWAIT.
  if (!does_not_block(c.fd) || is_on_disk(c.fd)) return leave_to_thread_after(r, events);
  const std::int64_t m =
      events == POLLIN ? call_once(c) : without_sigpipe(false, [&] { return call_once(c); });
  return m < 0 && errno == EAGAIN ? wait_for_events(r, events) : end_with(r, m);
}

/// Attempts to receive (if `events` is POLLIN) or send.
bool attempt_on_socket(io_request& r, short events) noexcept {
  io_call now = r.call;
  now.flags |= events == POLLOUT ? MSG_DONTWAIT | MSG_NOSIGNAL : MSG_DONTWAIT;
  const std::int64_t n = call_once(now);
  return n < 0 && errno == EAGAIN ? wait_for_events(r, events) : end_with(r, n);
}

/// Attempts to accept a connection. No flag makes one call of accept4(2) not wait, so only a
/// descriptor with O_NONBLOCK can be tried.
bool attempt_accept(io_request& r) noexcept {
  if (!does_not_block(r.call.fd)) return leave_to_thread_after(r, POLLIN);
  const std::int64_t n = call_once(r.call);
  return n < 0 && errno == EAGAIN ? wait_for_events(r, POLLIN) : end_with(r, n);
}

/// Looks whether a connection that is being made is complete.
bool attempt_to_finish_connect(io_request& r) noexcept {
  const int come = poll_once(r.call.fd, POLLOUT, 0);
  if (come < 0) return end_with(r, come);
  if (come == 0) return wait_for_events(r, POLLOUT);
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(r.call.fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return end_with(r, -1);
  errno = error;
  return end_with(r, error == 0 ? 0 : -1);
}

/// Begins to make a connection. If the system goes on making it, events tell when it is complete.
bool begin_connect(io_request& r) noexcept {
  const std::int64_t n = call_once(r.call);
  if (n == 0 || (errno != EINPROGRESS && errno != EINTR)) return end_with(r, n);
  r.connecting = true;
  r.needs_thread = false;
  return wait_for_events(r, POLLOUT);
}

/// Looks whether one of the events has come that the program polls for.
bool attempt_poll(io_request& r) noexcept {
  const int come = poll_once(r.call.fd, r.call.flags, 0);
  // POLLERR comes unasked. It is added since 0 would mean that events are of no use.
  return come == 0 ? wait_for_events(r, static_cast<short>(r.call.flags | POLLERR))
                   : end_with(r, come);
}

/// Makes one attempt at any operation, for attempt(). Its result may be -EINTR.
bool attempt_once(io_request& r) noexcept {
  switch (r.call.operation) {
    case io_operation::read:
    case io_operation::readv:
      return attempt_transfer(r, POLLIN);
    case io_operation::write:
    case io_operation::writev:
      return attempt_transfer(r, POLLOUT);
    case io_operation::recv:
    case io_operation::recvmsg:
      return attempt_on_socket(r, POLLIN);
    case io_operation::send:
    case io_operation::sendmsg:
      return attempt_on_socket(r, POLLOUT);
    case io_operation::accept:
      return attempt_accept(r);
    case io_operation::connect:
      if (r.connecting) return attempt_to_finish_connect(r);
      return does_not_block(r.call.fd) ? begin_connect(r) : leave_to_thread(r);
    case io_operation::poll:
      return attempt_poll(r);
    case io_operation::openat:
    case io_operation::close:
    case io_operation::fsync:
    case io_operation::statx:
      return leave_to_thread(r);
    case io_operation::sleep:
      return r.call.until <= std::chrono::steady_clock::now() && end_with(r, 0);
  }
  __builtin_unreachable();
}

/// Connects a socket without O_NONBLOCK on a helper thread, which must not wait there for as long
/// as the peer likes: a connect(2) that waits cannot be broken off. If the socket's own time limit
/// ends it, the connection goes on being made, and can be waited for by events. The limit is put
/// back at once.
bool connect_within_a_moment(io_request& r) noexcept {
  const int fd = r.call.fd;
  timeval before{};
  socklen_t size = sizeof before;
  const timeval moment{0, 1};
  if (getsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &before, &size) != 0 ||
      setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &moment, sizeof moment) != 0)
    return end_with(r, -1);
  const bool ended = begin_connect(r);
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &before, sizeof before);
  return ended;
}

/// Whether a connect(2) is to an address of the internet. Others, such as those of local sockets,
/// do not go on being made once the call has been broken off.
bool is_of_internet(const io_call& c) noexcept {
  if (c.length < sizeof(sa_family_t)) return false;
  const sa_family_t family = static_cast<const sockaddr*>(c.address)->sa_family;
  return family == AF_INET || family == AF_INET6;
}

/// How many of the latest receptions by each descriptor have had to wait, one after the other.
/// Descriptors share a count if they are equal modulo the number of counts, and one that is closed
/// leaves its count to the next file of its number. A wrong count costs time and nothing else.
class io_expectation {
 public:
  explicit io_expectation(int fd) noexcept : waits_(all[static_cast<unsigned>(fd) % all.size()]) {}

  /// A peer that sends no more than it is asked for makes each reception wait. One attempt of 16 is
  /// made all the same, to see when that changes.
  [[nodiscard]] bool is_to_wait() const noexcept {
    const unsigned n = waits_.load(std::memory_order_relaxed);
    return n >= enough && n % attempt_each != 0;
  }
  /// Counts a reception, and whether it has had to wait.
  void note(bool waits) noexcept {
    const unsigned n = waits_.load(std::memory_order_relaxed);
    const unsigned next = !waits ? 0 : n < most ? n + 1 : most + 1 - attempt_each;
    if (next != n) waits_.store(static_cast<std::uint8_t>(next), std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned enough = 4;
  static constexpr unsigned attempt_each = 16;
  static constexpr unsigned most = 255;
  static_assert((most + 1) % attempt_each == 0);

  static inline std::array<std::atomic<std::uint8_t>, 1 << 14> all{};

  std::atomic<std::uint8_t>& waits_;
};

/// Whether `c` may begin by waiting for its events: only they end it, and it would wait for them
/// in the end.
bool may_skip_attempt(const io_call& c, const io::limits& l) noexcept {
  return c.operation == io_operation::recv && c.flags == 0 && c.length != 0 &&
         !l.stop.stop_possible() && l.deadline == std::chrono::steady_clock::time_point::max();
}

}  // namespace

// This is not inlined into a function that waits: compilers keep the address of errno.
NOPAL_NOINLINE bool attempt(io_request& r) noexcept {
  do {
    if (!attempt_once(r)) return false;
  } while (r.result == -EINTR);
  return true;
}

NOPAL_NOINLINE bool attempt_unless_vain(io_request& r) noexcept {
  if (!may_skip_attempt(r.call, *r.within)) return attempt(r);
  io_expectation expectation(r.call.fd);
  bool waits = expectation.is_to_wait();
  if (waits)
    r.events = POLLIN;  // attempt() would set the same
  else
    waits = !attempt(r);
  expectation.note(waits);
  return !waits;
}

NOPAL_NOINLINE bool attempt_on_thread(io_request& r) noexcept {
  if (r.call.operation == io_operation::connect && is_of_internet(r.call))
    return connect_within_a_moment(r);
  const io_operation o = r.call.operation;
  r.result = o == io_operation::write || o == io_operation::writev
                 ? without_sigpipe(true, [&] { return plain_call(r.call); })
                 : plain_call(r.call);
  return true;
}

}  // namespace nopal::detail
