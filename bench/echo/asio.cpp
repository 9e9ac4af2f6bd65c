// SPDX-License-Identifier: Apache-2.0
// An echo server by Boost.Asio: some threads run one io_context, as in Asio's examples of servers
// with several threads.
#include <array>
#include <boost/asio.hpp>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "echo/listen.hpp"

namespace nopal_bench {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// Only one operation of it is under way at a time, so it needs no strand.
class connection : public std::enable_shared_from_this<connection> {
 public:
  explicit connection(tcp::socket s) : socket_(std::move(s)) {}

  void read() {
    socket_.async_read_some(asio::buffer(buffer_),
                            [self = shared_from_this()](error_code e, std::size_t bytes) {
                              if (!e) {
                                self->write(bytes);
                              }
                            });
  }

 private:
  void write(std::size_t bytes) {
    asio::async_write(socket_, asio::buffer(buffer_, bytes),
                      [self = shared_from_this()](error_code e, std::size_t) {
                        if (!e) {
                          self->read();
                        }
                      });
  }

  tcp::socket socket_;
  std::array<std::byte, echo_buffer_bytes> buffer_;
};

void accept_next(tcp::acceptor& acceptor) {
  acceptor.async_accept([&acceptor](error_code e, tcp::socket socket) {
    if (!e) {
      send_at_once(socket.native_handle());
      std::make_shared<connection>(std::move(socket))->read();
    }
    accept_next(acceptor);
  });
}

void serve(const echo_arguments& a) {
  asio::io_context context(static_cast<int>(a.threads));
  const int listening = listening_socket(a.port);
  tcp::acceptor acceptor(context, tcp::v4(), listening);
  accept_next(acceptor);
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < a.threads; ++i) {
    threads.emplace_back([&context] { context.run(); });
  }
  say_port(port_of(listening));
  threads.clear();
}

}  // namespace
}  // namespace nopal_bench

int main(int count, char** words) { nopal_bench::serve({count, words}); }
