// SPDX-License-Identifier: Apache-2.0
// Calls of sockets.hpp with other arguments. A concept sees the overloads above it alone: a
// qualified name stands for what has been declared.
#pragma once

#include <cstddef>
#include <utility>

#include "nopal/detail/io/perform.hpp"
#include "nopal/detail/io/refused_call.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {
#endif
namespace io {

template <class... A>
concept accept_takes = requires(A&&... a) { io::accept(std::forward<A>(a)...); };
template <class... A>
  requires(!accept_takes<A...>)
int accept(A&&...) {
  return detail::refuse_io<detail::io_argument::accept, int, A...>();
}
template <class... A>
  requires(!accept_takes<A...>)
detail::io_expression<int> async_accept(A&&...) {
  return detail::refuse_io<detail::io_argument::accept, detail::io_expression<int>, A...>();
}

template <class... A>
concept connect_takes = requires(A&&... a) { io::connect(std::forward<A>(a)...); };
template <class... A>
  requires(!connect_takes<A...>)
void connect(A&&...) {
  return detail::refuse_io<detail::io_argument::address, void, A...>();
}
template <class... A>
  requires(!connect_takes<A...>)
detail::io_expression<void> async_connect(A&&...) {
  return detail::refuse_io<detail::io_argument::address, detail::io_expression<void>, A...>();
}

template <class... A>
concept send_takes = requires(A&&... a) { io::send(std::forward<A>(a)...); };
template <class... A>
  requires(!send_takes<A...>)
std::size_t send(A&&...) {
  return detail::refuse_io<detail::io_argument::from, std::size_t, A...>();
}
template <class... A>
  requires(!send_takes<A...>)
detail::io_expression<std::size_t> async_send(A&&...) {
  return detail::refuse_io<detail::io_argument::from, detail::io_expression<std::size_t>, A...>();
}

template <class... A>
concept recv_takes = requires(A&&... a) { io::recv(std::forward<A>(a)...); };
template <class... A>
  requires(!recv_takes<A...>)
std::size_t recv(A&&...) {
  return detail::refuse_io<detail::io_argument::to, std::size_t, A...>();
}
template <class... A>
  requires(!recv_takes<A...>)
detail::io_expression<std::size_t> async_recv(A&&...) {
  return detail::refuse_io<detail::io_argument::to, detail::io_expression<std::size_t>, A...>();
}

template <class... A>
concept sendmsg_takes = requires(A&&... a) { io::sendmsg(std::forward<A>(a)...); };
template <class... A>
  requires(!sendmsg_takes<A...>)
std::size_t sendmsg(A&&...) {
  return detail::refuse_io<detail::io_argument::message, std::size_t, A...>();
}
template <class... A>
  requires(!sendmsg_takes<A...>)
detail::io_expression<std::size_t> async_sendmsg(A&&...) {
  return detail::refuse_io<detail::io_argument::message, detail::io_expression<std::size_t>,
                           A...>();
}

template <class... A>
concept recvmsg_takes = requires(A&&... a) { io::recvmsg(std::forward<A>(a)...); };
template <class... A>
  requires(!recvmsg_takes<A...>)
std::size_t recvmsg(A&&...) {
  return detail::refuse_io<detail::io_argument::message, std::size_t, A...>();
}
template <class... A>
  requires(!recvmsg_takes<A...>)
detail::io_expression<std::size_t> async_recvmsg(A&&...) {
  return detail::refuse_io<detail::io_argument::message, detail::io_expression<std::size_t>,
                           A...>();
}

template <class... A>
concept poll_takes = requires(A&&... a) { io::poll(std::forward<A>(a)...); };
template <class... A>
  requires(!poll_takes<A...>)
short poll(A&&...) {
  return detail::refuse_io<detail::io_argument::events, short, A...>();
}
template <class... A>
  requires(!poll_takes<A...>)
detail::io_expression<short> async_poll(A&&...) {
  return detail::refuse_io<detail::io_argument::events, detail::io_expression<short>, A...>();
}

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
