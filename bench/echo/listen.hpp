// SPDX-License-Identifier: Apache-2.0
// What the echo servers share. Each is called with a port, 0 for any, and a number of threads. It
// says on which port it listens, and serves until it is killed.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <system_error>

namespace nopal_bench {

/// As much as a server reads at once.
inline constexpr std::size_t echo_buffer_bytes = std::size_t{16} << 10;

struct echo_arguments {
  std::uint16_t port = 0;
  unsigned threads = 2;

  echo_arguments(int count, char** words) {
    if (count > 3) {
      std::fprintf(stderr, "usage: %s [PORT [THREADS]]\n", words[0]);
      std::exit(2);
    }
    if (count > 1) {
      port = static_cast<std::uint16_t>(std::strtoul(words[1], nullptr, 10));
    }
    if (count > 2) {
      threads = static_cast<unsigned>(std::strtoul(words[2], nullptr, 10));
    }
  }
};

[[noreturn]] inline void echo_failure(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// A socket that listens on the loopback interface. Several may share a port: the kernel deals out
/// the connections.
inline int listening_socket(std::uint16_t port, int flags = 0) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
  const int on = 1;
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (fd < 0 || ::setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0 ||
      ::bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 ||
      ::listen(fd, 4096) != 0) {
    echo_failure("listen");
  }
  return fd;
}

inline std::uint16_t port_of(int socket) {
  sockaddr_in at{};
  socklen_t bytes = sizeof at;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&at), &bytes) != 0) {
    echo_failure("getsockname");
  }
  return ntohs(at.sin_port);
}

/// A short answer leaves at once, and is not held back to fill a packet.
inline void send_at_once(int socket) {
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// For whoever has started the server.
inline void say_port(std::uint16_t port) {
  std::printf("listening on port %u\n", static_cast<unsigned>(port));
  std::fflush(stdout);
}

}  // namespace nopal_bench
