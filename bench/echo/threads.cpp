// SPDX-License-Identifier: Apache-2.0
// An echo server with a thread for each connection. The number of threads that it is called with
// has no meaning here.
#include <pthread.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "echo/listen.hpp"

namespace nopal_bench {
namespace {

constexpr std::size_t stack_bytes = std::size_t{64} << 10;

bool send_all(int fd, const std::byte* data, std::size_t bytes) {
  while (bytes != 0) {
    const ssize_t sent = ::send(fd, data, bytes, MSG_NOSIGNAL);
    if (sent < 0) {
      return false;
    }
    data += sent;
    bytes -= static_cast<std::size_t>(sent);
  }
  return true;
}

void* echo(void* argument) {
  const int fd = static_cast<int>(reinterpret_cast<std::intptr_t>(argument));
  std::array<std::byte, echo_buffer_bytes> buffer;
  for (;;) {
    const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
    if (got <= 0 || !send_all(fd, buffer.data(), static_cast<std::size_t>(got))) {
      break;
    }
  }
  ::close(fd);
  return nullptr;
}

[[noreturn]] void serve(const echo_arguments& a) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const int listening = listening_socket(a.port);
  say_port(port_of(listening));
  for (;;) {
    const int fd = ::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) {
      continue;
    }
    send_at_once(fd);
    pthread_t thread;
    void* argument = reinterpret_cast<void*>(static_cast<std::intptr_t>(fd));
    if (pthread_create(&thread, &attributes, echo, argument) != 0) {
      ::close(fd);
    }
  }
}

}  // namespace
}  // namespace nopal_bench

int main(int count, char** words) { nopal_bench::serve({count, words}); }
