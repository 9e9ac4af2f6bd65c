// SPDX-License-Identifier: Apache-2.0
// Calls on sockets, and poll.
#pragma once

#include <poll.h>
#include <sys/socket.h>

#include <cstddef>
#include <system_error>

#include "nopal/detail/io/perform.hpp"
#include "nopal/io/address.hpp"
#include "nopal/io/bytes.hpp"
#include "nopal/io/limits.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {
#endif
namespace io {

// Forms, errors and limits are those of files.hpp.

/// Waits for a connection to a listening socket. `flags` are those of accept4(2), such as
/// SOCK_CLOEXEC. Returns the descriptor of the connection; getpeername(2) tells the address of its
/// other end.
inline int accept(int socket, int flags, const limits& within = {}) {
  return detail::perform<int>(detail::io_call::accept(socket, flags), within);
}
inline int accept(int socket, int flags, std::error_code& error,
                  const limits& within = {}) noexcept {
  return detail::perform<int>(detail::io_call::accept(socket, flags), error, within);
}
[[nodiscard]] inline detail::io_expression<int> async_accept(int socket, int flags,
                                                             const limits& within = {}) {
  return {detail::io_call::accept(socket, flags), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<int> async_accept(int socket, int flags,
                                                             std::error_code& error,
                                                             const limits& within = {}) {
  return {detail::io_call::accept(socket, flags), &error, within};
}

/// Connects the socket to the address of `length` bytes.
inline void connect(int socket, const sockaddr* address, socklen_t length,
                    const limits& within = {}) {
  return detail::perform<void>(detail::io_call::connect(socket, address, length), within);
}
inline void connect(int socket, const sockaddr* address, socklen_t length, std::error_code& error,
                    const limits& within = {}) noexcept {
  return detail::perform<void>(detail::io_call::connect(socket, address, length), error, within);
}
[[nodiscard]] inline detail::io_expression<void> async_connect(int socket, const sockaddr* address,
                                                               socklen_t length,
                                                               const limits& within = {}) {
  return {detail::io_call::connect(socket, address, length), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<void> async_connect(int socket, const sockaddr* address,
                                                               socklen_t length,
                                                               std::error_code& error,
                                                               const limits& within = {}) {
  return {detail::io_call::connect(socket, address, length), &error, within};
}

/// Connects the socket to an address that resolve() has returned, or that was made of a sockaddr.
inline void connect(int socket, const address& to, const limits& within = {}) {
  return connect(socket, to.data(), to.size(), within);
}
inline void connect(int socket, const address& to, std::error_code& error,
                    const limits& within = {}) noexcept {
  return connect(socket, to.data(), to.size(), error, within);
}
[[nodiscard]] inline detail::io_expression<void> async_connect(int socket, const address& to,
                                                               const limits& within = {}) {
  return async_connect(socket, to.data(), to.size(), within);
}
[[nodiscard]] inline detail::io_expression<void> async_connect(int socket, const address& to,
                                                               std::error_code& error,
                                                               const limits& within = {}) {
  return async_connect(socket, to.data(), to.size(), error, within);
}

/// Sends up to from.size() bytes; `flags` are those of send(2). Returns how many were sent, which
/// may be fewer. On a worker nobody gets SIGPIPE.
inline std::size_t send(int socket, const_bytes from, int flags, const limits& within = {}) {
  return detail::perform<std::size_t>(detail::io_call::send(socket, from, flags), within);
}
inline std::size_t send(int socket, const_bytes from, int flags, std::error_code& error,
                        const limits& within = {}) noexcept {
  return detail::perform<std::size_t>(detail::io_call::send(socket, from, flags), error, within);
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_send(int socket, const_bytes from,
                                                                   int flags,
                                                                   const limits& within = {}) {
  return {detail::io_call::send(socket, from, flags), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_send(int socket, const_bytes from,
                                                                   int flags,
                                                                   std::error_code& error,
                                                                   const limits& within = {}) {
  return {detail::io_call::send(socket, from, flags), &error, within};
}

/// Receives up to to.size() bytes; `flags` are those of recv(2), but MSG_WAITALL may get fewer.
/// Returns how many; 0 when the other side has ended its sending.
inline std::size_t recv(int socket, mutable_bytes to, int flags, const limits& within = {}) {
  return detail::perform<std::size_t>(detail::io_call::recv(socket, to, flags), within);
}
inline std::size_t recv(int socket, mutable_bytes to, int flags, std::error_code& error,
                        const limits& within = {}) noexcept {
  return detail::perform<std::size_t>(detail::io_call::recv(socket, to, flags), error, within);
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_recv(int socket, mutable_bytes to,
                                                                   int flags,
                                                                   const limits& within = {}) {
  return {detail::io_call::recv(socket, to, flags), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_recv(int socket, mutable_bytes to,
                                                                   int flags,
                                                                   std::error_code& error,
                                                                   const limits& within = {}) {
  return {detail::io_call::recv(socket, to, flags), &error, within};
}

/// Sends a message with all that sendmsg(2) can send, such as descriptors.
inline std::size_t sendmsg(int socket, const msghdr& message, int flags,
                           const limits& within = {}) {
  return detail::perform<std::size_t>(detail::io_call::sendmsg(socket, message, flags), within);
}
inline std::size_t sendmsg(int socket, const msghdr& message, int flags, std::error_code& error,
                           const limits& within = {}) noexcept {
  return detail::perform<std::size_t>(detail::io_call::sendmsg(socket, message, flags), error,
                                      within);
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_sendmsg(int socket,
                                                                      const msghdr& message,
                                                                      int flags,
                                                                      const limits& within = {}) {
  return {detail::io_call::sendmsg(socket, message, flags), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_sendmsg(int socket,
                                                                      const msghdr& message,
                                                                      int flags,
                                                                      std::error_code& error,
                                                                      const limits& within = {}) {
  return {detail::io_call::sendmsg(socket, message, flags), &error, within};
}

/// Receives a message with all that recvmsg(2) can receive.
inline std::size_t recvmsg(int socket, msghdr& message, int flags, const limits& within = {}) {
  return detail::perform<std::size_t>(detail::io_call::recvmsg(socket, message, flags), within);
}
inline std::size_t recvmsg(int socket, msghdr& message, int flags, std::error_code& error,
                           const limits& within = {}) noexcept {
  return detail::perform<std::size_t>(detail::io_call::recvmsg(socket, message, flags), error,
                                      within);
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_recvmsg(int socket, msghdr& message,
                                                                      int flags,
                                                                      const limits& within = {}) {
  return {detail::io_call::recvmsg(socket, message, flags), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_recvmsg(int socket, msghdr& message,
                                                                      int flags,
                                                                      std::error_code& error,
                                                                      const limits& within = {}) {
  return {detail::io_call::recvmsg(socket, message, flags), &error, within};
}

/// Waits until one of `events`, those of poll(2), has come. Returns the events that have; POLLERR
/// and POLLHUP are always among those waited for.
inline short poll(int fd, short events, const limits& within = {}) {
  return detail::perform<short>(detail::io_call::poll(fd, events), within);
}
inline short poll(int fd, short events, std::error_code& error,
                  const limits& within = {}) noexcept {
  return detail::perform<short>(detail::io_call::poll(fd, events), error, within);
}
[[nodiscard]] inline detail::io_expression<short> async_poll(int fd, short events,
                                                             const limits& within = {}) {
  return {detail::io_call::poll(fd, events), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<short> async_poll(int fd, short events,
                                                             std::error_code& error,
                                                             const limits& within = {}) {
  return {detail::io_call::poll(fd, events), &error, within};
}

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal

#include "nopal/detail/io/refused_sockets.hpp"  // last: it looks at what stands above
