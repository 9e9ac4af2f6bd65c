// SPDX-License-Identifier: Apache-2.0
// A strand for each connection, on as many workers as threads are asked for.
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <nopal/nopal.hpp>
#include <span>
#include <system_error>

#include "echo/listen.hpp"

namespace nopal_bench {
namespace {

void echo(int socket) {
  std::array<std::byte, echo_buffer_bytes> buffer;
  std::error_code error;
  while (const std::size_t n = nopal::io::recv(socket, buffer, 0, error)) {
    for (std::size_t sent = 0; sent < n && !error;)
      sent +=
          nopal::io::send(socket, std::span(buffer).subspan(sent, n - sent), MSG_NOSIGNAL, error);
    if (error) break;
  }
  nopal::io::close(socket, error);
}

void serve(const echo_arguments& a) {
  nopal::options options = nopal::options::from_environment();
  options.workers = a.threads;
  nopal::runtime workers(options);
  const int listener = listening_socket(a.port, 0);
  say_port(port_of(listener));
  workers.run([&] {
    nopal::task_scope connections;
    for (;;) {
      std::error_code error;
      const int socket = nopal::io::accept(listener, SOCK_CLOEXEC, error);
      if (error) continue;
      send_at_once(socket);
      connections.spawn(echo, socket);
    }
  });
}

}  // namespace
}  // namespace nopal_bench

int main(int count, char** words) { nopal_bench::serve({count, words}); }
