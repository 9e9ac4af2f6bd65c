// SPDX-License-Identifier: Apache-2.0
// A server that sends back what it gets: plain code that seems to block, a strand for each
// connection, few workers for all of them. Usage: echo_server [--port N] [--workers N]
// With a port it serves until SIGTERM or SIGINT, and without one it checks itself.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iostream>
#include <nopal/nopal.hpp>
#include <span>
#include <string_view>
#include <system_error>

namespace io = nopal::io;

/// Closes a descriptor at the end of its scope.
struct descriptor {
  int fd;
  explicit descriptor(int f) : fd(f) {
    if (fd < 0) throw std::system_error(errno, std::system_category(), "echo_server");
  }
  ~descriptor() { ::close(fd); }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
};

/// Requests a stop at the end of its scope, also if that is left by an exception.
struct stops_at_end {
  std::stop_source& stop;
  ~stops_at_end() { stop.request_stop(); }
};

void send_all(int socket, std::span<const std::byte> bytes, const std::stop_token& stop) {
  while (!bytes.empty()) bytes = bytes.subspan(io::send(socket, bytes, 0, stop));
}

/// Serves one connection until the other side ends it, or it breaks, or the server stops.
void echo(const std::stop_token& stop, int socket) {
  const descriptor closes(socket);
  std::array<std::byte, 4096> buffer;
  try {
    while (const std::size_t n = io::recv(socket, buffer, 0, stop))
      send_all(socket, std::span(buffer).first(n), stop);
  } catch (const std::system_error&) {
    // The connection was reset, or the server stops. That concerns nobody else.
  }
}

/// Accepts connections until `stop`, then ends those that there are.
void serve(int listener, const std::stop_token& stop) {
  nopal::task_scope connections;
  for (;;) {
    std::error_code error;
    const int socket = io::accept(listener, SOCK_CLOEXEC, error, stop);
    if (error == std::errc::operation_canceled) return;  // ~task_scope stops the others
    if (!error) {
      const int at_once = 1;
      setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
      try {
        connections.spawn(echo, socket);
      } catch (...) {
        ::close(socket);
        throw;
      }
    } else if (error != std::errc::connection_aborted) {
      std::cerr << "echo_server: accept: " << error.message() << '\n';
      io::sleep_for(std::chrono::milliseconds(100), error, stop);  // out of descriptors, perhaps
    }
  }
}

int listen_on(std::uint16_t port, sockaddr_in& address) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int again = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
  address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* at = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, at, size) != 0 || listen(listener, SOMAXCONN) != 0 ||
      getsockname(listener, at, &size) != 0)
    throw std::system_error(errno, std::system_category(), "echo_server: cannot listen");
  return listener;
}

/// Says a few things to the server. Returns whether all came back.
bool talk(const sockaddr_in& address, int number) {
  const descriptor c(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  io::connect(c.fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  for (int i = 0; i < 20; ++i) {
    const std::string said =
        "this is " + std::to_string(number) + ", for the time " + std::to_string(i);
    send_all(c.fd, std::as_bytes(std::span(said)), {});
    std::string heard(said.size(), '?');
    auto left = std::as_writable_bytes(std::span(heard));
    while (!left.empty()) {
      const std::size_t n = io::recv(c.fd, left, 0);
      if (n == 0) return false;
      left = left.subspan(n);
    }
    if (heard != said) return false;
  }
  return true;
}

bool check_itself(nopal::runtime& r) {
  sockaddr_in address;
  const descriptor listener(listen_on(0, address));
  return r.run([&] {
    std::stop_source stop;
    std::atomic<int> right = 0;
    nopal::parallel_invoke([&] { serve(listener.fd, stop.get_token()); },
                           [&] {
                             const stops_at_end server{stop};
                             nopal::for_each(nopal::grain{1}, 0, 100,
                                             [&](int i) { right += talk(address, i) ? 1 : 0; });
                           });
    return right == 100;
  });
}

int main(int argc, char** argv) {
  std::uint16_t port = 0;
  nopal::options options = nopal::options::from_environment();
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i], value = argv[i + 1];
    const char* end = value.data() + value.size();
    if (name == "--port") std::from_chars(value.data(), end, port);
    if (name == "--workers") std::from_chars(value.data(), end, options.workers);
  }
  // The signals are blocked before the workers are started, so that they come by the descriptor
  // alone.
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  nopal::runtime r(options);
  if (port == 0) {
    const bool right = check_itself(r);
    std::cout << (right ? "100 clients heard what they said\n" : "an echo was WRONG\n");
    return right ? 0 : 1;
  }
  sockaddr_in address;
  const descriptor listener(listen_on(port, address));
  const descriptor signals(signalfd(-1, &ends, SFD_CLOEXEC));
  std::cout << "serving on port " << ntohs(address.sin_port) << std::endl;
  r.run([&] {
    std::stop_source stop;
    nopal::parallel_invoke([&] { serve(listener.fd, stop.get_token()); },
                           [&] {
                             const stops_at_end server{stop};
                             signalfd_siginfo got;
                             io::read(signals.fd, std::as_writable_bytes(std::span(&got, 1)));
                           });
  });
  std::cout << "stopped" << std::endl;
}
