// SPDX-License-Identifier: Apache-2.0
#include "nopal/c/io.h"

#include <chrono>
#include <system_error>

#include "c/error.hpp"
#include "nopal/io.hpp"

namespace io = nopal::io;
using nopal::detail::c_argument;

namespace {

/// Makes a call of nopal::io, which puts its error into an error code, and hands on what it
/// returns.
/// \param result  where that goes; may be nullptr.
template <class T, class F>
int call_of_system(const char* name, T* result, F&& call) noexcept {
  std::error_code error;
  const auto got = call(error);
  if (error) [[unlikely]]
    return nopal::detail::c_system_error(name, error);
  if (result != nullptr) *result = got;
  return 0;
}

/// Does the same for a call that returns nothing.
template <class F>
int call_of_system(const char* name, F&& call) noexcept {
  std::error_code error;
  call(error);
  return error ? nopal::detail::c_system_error(name, error) : 0;
}

}  // namespace

using nopal::detail::c_limits;

int nopal_read(int fd, void* to, size_t size, int64_t within, size_t* done) {
  if (to == nullptr && size != 0) return c_argument("nopal_read", "the buffer is NULL");
  return call_of_system("nopal_read", done, [&](std::error_code& e) {
    return io::read(fd, {to, size}, e, c_limits(within));
  });
}

int nopal_pread(int fd, void* to, size_t size, int64_t offset, int64_t within, size_t* done) {
  if (to == nullptr && size != 0) return c_argument("nopal_pread", "the buffer is NULL");
  return call_of_system("nopal_pread", done, [&](std::error_code& e) {
    return io::pread(fd, {to, size}, offset, e, c_limits(within));
  });
}

int nopal_write(int fd, const void* from, size_t size, int64_t within, size_t* done) {
  if (from == nullptr && size != 0) return c_argument("nopal_write", "the buffer is NULL");
  return call_of_system("nopal_write", done, [&](std::error_code& e) {
    return io::write(fd, {from, size}, e, c_limits(within));
  });
}

int nopal_pwrite(int fd, const void* from, size_t size, int64_t offset, int64_t within,
                 size_t* done) {
  if (from == nullptr && size != 0) return c_argument("nopal_pwrite", "the buffer is NULL");
  return call_of_system("nopal_pwrite", done, [&](std::error_code& e) {
    return io::pwrite(fd, {from, size}, offset, e, c_limits(within));
  });
}

int nopal_openat(int directory, const char* path, int flags, mode_t mode, int64_t within, int* fd) {
  if (path == nullptr) return c_argument("nopal_openat", "the path is NULL");
  return call_of_system("nopal_openat", fd, [&](std::error_code& e) {
    return io::openat(directory, path, flags, mode, e, c_limits(within));
  });
}

int nopal_close(int fd, int64_t within) {
  return call_of_system("nopal_close",
                        [&](std::error_code& e) { io::close(fd, e, c_limits(within)); });
}

int nopal_accept(int socket, int flags, int64_t within, int* fd) {
  return call_of_system("nopal_accept", fd, [&](std::error_code& e) {
    return io::accept(socket, flags, e, c_limits(within));
  });
}

int nopal_connect(int socket, const struct sockaddr* to, socklen_t length, int64_t within) {
  if (to == nullptr) return c_argument("nopal_connect", "the address is NULL");
  return call_of_system("nopal_connect", [&](std::error_code& e) {
    io::connect(socket, to, length, e, c_limits(within));
  });
}

int nopal_send(int socket, const void* from, size_t size, int flags, int64_t within, size_t* done) {
  if (from == nullptr && size != 0) return c_argument("nopal_send", "the buffer is NULL");
  return call_of_system("nopal_send", done, [&](std::error_code& e) {
    return io::send(socket, {from, size}, flags, e, c_limits(within));
  });
}

int nopal_recv(int socket, void* to, size_t size, int flags, int64_t within, size_t* done) {
  if (to == nullptr && size != 0) return c_argument("nopal_recv", "the buffer is NULL");
  return call_of_system("nopal_recv", done, [&](std::error_code& e) {
    return io::recv(socket, {to, size}, flags, e, c_limits(within));
  });
}

int nopal_poll(int fd, short events, int64_t within, short* come) {
  return call_of_system("nopal_poll", come, [&](std::error_code& e) {
    return io::poll(fd, events, e, c_limits(within));
  });
}

int nopal_sleep(int64_t nanoseconds) {
  if (nanoseconds < 0)
    return c_argument("nopal_sleep", "the time is negative; NOPAL_FOREVER is for calls that wait");
  return call_of_system("nopal_sleep", [&](std::error_code& e) {
    io::sleep_for(std::chrono::nanoseconds(nanoseconds), e);
  });
}

int nopal_blocking(nopal_function f, void* argument) {
  if (f == nullptr) return c_argument("nopal_blocking", "the function is NULL");
  return nopal::detail::c_call_through([](auto&& call) { nopal::blocking(call); },
                                       [&] { f(argument); });
}
