// SPDX-License-Identifier: Apache-2.0
// An echo server by epoll: each thread has a listening socket and connections of its own.
#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "echo/listen.hpp"

namespace nopal_bench {
namespace {

struct connection {
  int fd;
  std::vector<std::byte> rest;  ///< Read and not yet written; meanwhile nothing more is read.
};

class echo_loop {
 public:
  explicit echo_loop(int listening) : listening_(listening), epoll_(::epoll_create1(0)) {
    if (epoll_ < 0) {
      echo_failure("epoll_create1");
    }
    watch(EPOLL_CTL_ADD, listening_, EPOLLIN, nullptr);
  }

  [[noreturn]] void run() {
    std::array<epoll_event, 256> events;
    for (;;) {
      const int count = ::epoll_wait(epoll_, events.data(), events.size(), -1);
      for (int i = 0; i < count; ++i) {
        auto* c = static_cast<connection*>(events[i].data.ptr);
        if (c == nullptr) {
          accept_one();
        } else if (!echo(*c)) {
          ::close(c->fd);
          delete c;
        }
      }
    }
  }

 private:
  void watch(int operation, int fd, std::uint32_t what, connection* c) {
    epoll_event event{};
    event.events = what;
    event.data.ptr = c;
    if (::epoll_ctl(epoll_, operation, fd, &event) != 0) {
      echo_failure("epoll_ctl");
    }
  }

  void accept_one() {
    const int fd = ::accept4(listening_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      return;  // whoever came has gone, or there are no descriptors at the moment
    }
    send_at_once(fd);
    auto c = std::make_unique<connection>(connection{fd, {}});
    watch(EPOLL_CTL_ADD, fd, EPOLLIN, c.get());
    static_cast<void>(c.release());
  }

  /// Whether the connection lasts.
  bool echo(connection& c) {
    if (!c.rest.empty()) {
      return write_rest(c);
    }
    const ssize_t got = ::recv(c.fd, buffer_.data(), buffer_.size(), 0);
    if (got <= 0) {
      return got < 0 && would_block();
    }
    const ssize_t sent = ::send(c.fd, buffer_.data(), static_cast<std::size_t>(got), MSG_NOSIGNAL);
    if (sent < 0 && !would_block()) {
      return false;
    }
    if (sent != got) {
      c.rest.assign(buffer_.begin() + std::max<ssize_t>(sent, 0), buffer_.begin() + got);
      watch(EPOLL_CTL_MOD, c.fd, EPOLLOUT, &c);
    }
    return true;
  }

  bool write_rest(connection& c) {
    const ssize_t sent = ::send(c.fd, c.rest.data(), c.rest.size(), MSG_NOSIGNAL);
    if (sent < 0) {
      return would_block();
    }
    c.rest.erase(c.rest.begin(), c.rest.begin() + sent);
    if (c.rest.empty()) {
      watch(EPOLL_CTL_MOD, c.fd, EPOLLIN, &c);
    }
    return true;
  }

  static bool would_block() { return errno == EAGAIN || errno == EINTR; }

  int listening_;
  int epoll_;
  std::array<std::byte, echo_buffer_bytes> buffer_;
};

void serve(const echo_arguments& a) {
  std::vector<int> sockets{listening_socket(a.port, SOCK_NONBLOCK)};
  const std::uint16_t port = port_of(sockets.front());
  while (sockets.size() < a.threads) {
    sockets.push_back(listening_socket(port, SOCK_NONBLOCK));
  }
  std::vector<std::jthread> threads;
  for (const int socket : sockets) {
    threads.emplace_back([socket] { echo_loop(socket).run(); });
  }
  say_port(port);
}

}  // namespace
}  // namespace nopal_bench

int main(int count, char** words) { nopal_bench::serve({count, words}); }
