// SPDX-License-Identifier: Apache-2.0
// One system call with its arguments, to be made now, later, or by another thread.
#pragma once

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace nopal::detail {

enum class io_operation : std::uint8_t {
  read,
  readv,
  write,
  writev,
  accept,
  connect,
  send,
  recv,
  sendmsg,
  recvmsg,
  openat,
  close,
  fsync,
  statx,
  poll,
  sleep,
};

/// What a member means depends on the operation; what an operation does not need is not set.
struct io_call {
  static constexpr std::int64_t at_position = -1;  ///< This `offset` is the file's own position.

  io_call(io_operation o, int f, int more = 0) noexcept : operation(o), fd(f), flags(more) {}
  io_call(io_operation o, int f, std::span<const std::byte> bytes, int more = 0) noexcept
      : operation(o),
        fd(f),
        flags(more),
        address(const_cast<std::byte*>(bytes.data())),
        length(bytes.size()) {}
  io_call(io_operation o, int f, std::span<const iovec> parts) noexcept
      : operation(o), fd(f), address(const_cast<iovec*>(parts.data())), length(parts.size()) {}

  io_operation operation;
  int fd;
  int flags;                   ///< The flags of the system call; the events of a poll.
  unsigned mode = 0;           ///< The mode of openat; the mask of statx.
  void* address = nullptr;     ///< A buffer, parts, a message, an address, the struct statx.
  const char* path = nullptr;  ///< The path of openat and statx.
  std::size_t length = 0;      ///< The number of bytes, or of parts, at `address`.
  std::int64_t offset = at_position;
  std::chrono::steady_clock::time_point until = {};  ///< The end of a sleep.
  bool is_unbroken = false;  ///< A stop of the caller's scope does not end the call.

  static io_call read(int fd, std::span<std::byte> to) { return {io_operation::read, fd, to}; }
  static io_call readv(int fd, std::span<const iovec> to) { return {io_operation::readv, fd, to}; }
  static io_call write(int fd, std::span<const std::byte> from) {
    return {io_operation::write, fd, from};
  }
  static io_call writev(int fd, std::span<const iovec> from) {
    return {io_operation::writev, fd, from};
  }
  static io_call accept(int fd, int flags) { return {io_operation::accept, fd, flags}; }
  static io_call connect(int fd, const sockaddr* address, socklen_t length) {
    io_call c(io_operation::connect, fd);
    c.address = const_cast<sockaddr*>(address);
    c.length = length;
    return c;
  }
  static io_call send(int fd, std::span<const std::byte> from, int flags) {
    return {io_operation::send, fd, from, flags};
  }
  static io_call recv(int fd, std::span<std::byte> to, int flags) {
    return {io_operation::recv, fd, to, flags};
  }
  static io_call sendmsg(int fd, const msghdr& message, int flags) {
    io_call c(io_operation::sendmsg, fd, flags);
    c.address = const_cast<msghdr*>(&message);
    return c;
  }
  static io_call recvmsg(int fd, msghdr& message, int flags) {
    io_call c(io_operation::recvmsg, fd, flags);
    c.address = &message;
    return c;
  }
  static io_call openat(int directory, const char* path, int flags, mode_t mode) {
    io_call c(io_operation::openat, directory, flags);
    c.path = path;
    c.mode = mode;
    return c;
  }
  static io_call close(int fd) {
    io_call c(io_operation::close, fd);
    c.is_unbroken = true;  // the file would be left open
    return c;
  }
  static io_call fsync(int fd) { return {io_operation::fsync, fd}; }
  static io_call statx(int directory, const char* path, int flags, unsigned mask,
                       struct ::statx& result) {
    io_call c(io_operation::statx, directory, flags);
    c.path = path;
    c.mode = mask;
    c.address = &result;
    return c;
  }
  static io_call poll(int fd, short events) { return {io_operation::poll, fd, events}; }
  static io_call sleep(std::chrono::steady_clock::time_point until) {
    io_call c(io_operation::sleep, -1);
    c.until = until;
    return c;
  }

  /// Returns the same call at an offset. The system refuses a negative one.
  [[nodiscard]] io_call at(std::int64_t o) const noexcept {
    io_call c = *this;
    c.offset = o < 0 ? std::numeric_limits<std::int64_t>::min() : o;
    return c;
  }
};

}  // namespace nopal::detail
