// SPDX-License-Identifier: Apache-2.0
// Calls of files.hpp with other arguments. A concept sees the overloads above it alone: a qualified
// name stands for what has been declared.
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
concept read_takes = requires(A&&... a) { io::read(std::forward<A>(a)...); };
template <class... A>
  requires(!read_takes<A...>)
std::size_t read(A&&...) {
  return detail::refuse_io<detail::io_argument::to, std::size_t, A...>();
}
template <class... A>
  requires(!read_takes<A...>)
detail::io_expression<std::size_t> async_read(A&&...) {
  return detail::refuse_io<detail::io_argument::to, detail::io_expression<std::size_t>, A...>();
}

template <class... A>
concept pread_takes = requires(A&&... a) { io::pread(std::forward<A>(a)...); };
template <class... A>
  requires(!pread_takes<A...>)
std::size_t pread(A&&...) {
  return detail::refuse_io<detail::io_argument::to, std::size_t, A...>();
}
template <class... A>
  requires(!pread_takes<A...>)
detail::io_expression<std::size_t> async_pread(A&&...) {
  return detail::refuse_io<detail::io_argument::to, detail::io_expression<std::size_t>, A...>();
}

template <class... A>
concept readv_takes = requires(A&&... a) { io::readv(std::forward<A>(a)...); };
template <class... A>
  requires(!readv_takes<A...>)
std::size_t readv(A&&...) {
  return detail::refuse_io<detail::io_argument::buffers, std::size_t, A...>();
}
template <class... A>
  requires(!readv_takes<A...>)
detail::io_expression<std::size_t> async_readv(A&&...) {
  return detail::refuse_io<detail::io_argument::buffers, detail::io_expression<std::size_t>,
                           A...>();
}

template <class... A>
concept preadv_takes = requires(A&&... a) { io::preadv(std::forward<A>(a)...); };
template <class... A>
  requires(!preadv_takes<A...>)
std::size_t preadv(A&&...) {
  return detail::refuse_io<detail::io_argument::buffers, std::size_t, A...>();
}
template <class... A>
  requires(!preadv_takes<A...>)
detail::io_expression<std::size_t> async_preadv(A&&...) {
  return detail::refuse_io<detail::io_argument::buffers, detail::io_expression<std::size_t>,
                           A...>();
}

template <class... A>
concept write_takes = requires(A&&... a) { io::write(std::forward<A>(a)...); };
template <class... A>
  requires(!write_takes<A...>)
std::size_t write(A&&...) {
  return detail::refuse_io<detail::io_argument::from, std::size_t, A...>();
}
template <class... A>
  requires(!write_takes<A...>)
detail::io_expression<std::size_t> async_write(A&&...) {
  return detail::refuse_io<detail::io_argument::from, detail::io_expression<std::size_t>, A...>();
}

template <class... A>
concept pwrite_takes = requires(A&&... a) { io::pwrite(std::forward<A>(a)...); };
template <class... A>
  requires(!pwrite_takes<A...>)
std::size_t pwrite(A&&...) {
  return detail::refuse_io<detail::io_argument::from, std::size_t, A...>();
}
template <class... A>
  requires(!pwrite_takes<A...>)
detail::io_expression<std::size_t> async_pwrite(A&&...) {
  return detail::refuse_io<detail::io_argument::from, detail::io_expression<std::size_t>, A...>();
}

template <class... A>
concept writev_takes = requires(A&&... a) { io::writev(std::forward<A>(a)...); };
template <class... A>
  requires(!writev_takes<A...>)
std::size_t writev(A&&...) {
  return detail::refuse_io<detail::io_argument::buffers, std::size_t, A...>();
}
template <class... A>
  requires(!writev_takes<A...>)
detail::io_expression<std::size_t> async_writev(A&&...) {
  return detail::refuse_io<detail::io_argument::buffers, detail::io_expression<std::size_t>,
                           A...>();
}

template <class... A>
concept pwritev_takes = requires(A&&... a) { io::pwritev(std::forward<A>(a)...); };
template <class... A>
  requires(!pwritev_takes<A...>)
std::size_t pwritev(A&&...) {
  return detail::refuse_io<detail::io_argument::buffers, std::size_t, A...>();
}
template <class... A>
  requires(!pwritev_takes<A...>)
detail::io_expression<std::size_t> async_pwritev(A&&...) {
  return detail::refuse_io<detail::io_argument::buffers, detail::io_expression<std::size_t>,
                           A...>();
}

template <class... A>
concept openat_takes = requires(A&&... a) { io::openat(std::forward<A>(a)...); };
template <class... A>
  requires(!openat_takes<A...>)
int openat(A&&...) {
  return detail::refuse_io<detail::io_argument::path, int, A...>();
}
template <class... A>
  requires(!openat_takes<A...>)
detail::io_expression<int> async_openat(A&&...) {
  return detail::refuse_io<detail::io_argument::path, detail::io_expression<int>, A...>();
}

template <class... A>
concept close_takes = requires(A&&... a) { io::close(std::forward<A>(a)...); };
template <class... A>
  requires(!close_takes<A...>)
void close(A&&...) {
  return detail::refuse_io<detail::io_argument::descriptor, void, A...>();
}
template <class... A>
  requires(!close_takes<A...>)
detail::io_expression<void> async_close(A&&...) {
  return detail::refuse_io<detail::io_argument::descriptor, detail::io_expression<void>, A...>();
}

template <class... A>
concept fsync_takes = requires(A&&... a) { io::fsync(std::forward<A>(a)...); };
template <class... A>
  requires(!fsync_takes<A...>)
void fsync(A&&...) {
  return detail::refuse_io<detail::io_argument::descriptor, void, A...>();
}
template <class... A>
  requires(!fsync_takes<A...>)
detail::io_expression<void> async_fsync(A&&...) {
  return detail::refuse_io<detail::io_argument::descriptor, detail::io_expression<void>, A...>();
}

template <class... A>
concept statx_takes = requires(A&&... a) { io::statx(std::forward<A>(a)...); };
template <class... A>
  requires(!statx_takes<A...>)
void statx(A&&...) {
  return detail::refuse_io<detail::io_argument::statx, void, A...>();
}
template <class... A>
  requires(!statx_takes<A...>)
detail::io_expression<void> async_statx(A&&...) {
  return detail::refuse_io<detail::io_argument::statx, detail::io_expression<void>, A...>();
}

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
