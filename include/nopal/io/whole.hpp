// SPDX-License-Identifier: Apache-2.0
// Reading and writing all of something, by as many calls of the system as that takes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <system_error>

#include "nopal/io/bytes.hpp"
#include "nopal/io/files.hpp"
#include "nopal/io/limits.hpp"
#include "nopal/task.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {
#endif
namespace io {

// Forms and errors are those of files.hpp. A limit may end one of these when it has transferred
// something; only the forms with a std::error_code tell how much.

/// Reads until `to` is full or the file ends. Returns how many bytes it has read: fewer than
/// to.size() at the end of the file or, with a std::error_code, after an error.
/// \code
/// std::array<char, 512> header{};
/// const bool is_short = nopal::io::read_all(0, header) < header.size();
/// \endcode
inline std::size_t read_all(int fd, mutable_bytes to, const limits& within = {}) {
  std::span<std::byte> left = to;
  while (!left.empty()) {
    const std::size_t n = read(fd, left, within);
    if (n == 0) break;
    left = left.subspan(n);
  }
  return to.size() - left.size();
}
inline std::size_t read_all(int fd, mutable_bytes to, std::error_code& error,
                            const limits& within = {}) noexcept {
  std::span<std::byte> left = to;
  error.clear();
  while (!left.empty()) {
    const std::size_t n = read(fd, left, error, within);
    if (n == 0) break;
    left = left.subspan(n);
  }
  return to.size() - left.size();
}
[[nodiscard]] inline task<std::size_t> async_read_all(int fd, mutable_bytes to,
                                                      limits within = {}) {
  std::span<std::byte> left = to;
  while (!left.empty()) {
    const std::size_t n = co_await async_read(fd, left, within);
    if (n == 0) break;
    left = left.subspan(n);
  }
  co_return to.size() - left.size();
}
[[nodiscard]] inline task<std::size_t> async_read_all(int fd, mutable_bytes to,
                                                      std::error_code& error, limits within = {}) {
  std::span<std::byte> left = to;
  error.clear();
  while (!left.empty()) {
    const std::size_t n = co_await async_read(fd, left, error, within);
    if (n == 0) break;
    left = left.subspan(n);
  }
  co_return to.size() - left.size();
}

/// Reads to the end of the file, or until the other end of a pipe or socket is closed. Returns all
/// that it has read; with a std::error_code also after an error.
/// \code
/// std::string text = nopal::io::read_all(0);
/// \endcode
inline std::string read_all(int fd, std::error_code& error, const limits& within = {}) {
  std::string all;
  std::size_t size = 0;
  for (std::size_t n = 1; n != 0; size += n) {
    if (size == all.size()) all.resize(std::max<std::size_t>(4096, 2 * size));
    n = read(fd, {&all[size], all.size() - size}, error, within);
  }
  all.resize(size);
  return all;
}
inline std::string read_all(int fd, const limits& within = {}) {
  std::string all;
  std::size_t size = 0;
  for (std::size_t n = 1; n != 0; size += n) {
    if (size == all.size()) all.resize(std::max<std::size_t>(4096, 2 * size));
    n = read(fd, {&all[size], all.size() - size}, within);
  }
  all.resize(size);
  return all;
}
[[nodiscard]] inline task<std::string> async_read_all(int fd, std::error_code& error,
                                                      limits within = {}) {
  std::string all;
  std::size_t size = 0;
  for (std::size_t n = 1; n != 0; size += n) {
    if (size == all.size()) all.resize(std::max<std::size_t>(4096, 2 * size));
    n = co_await async_read(fd, {&all[size], all.size() - size}, error, within);
  }
  all.resize(size);
  co_return all;
}
[[nodiscard]] inline task<std::string> async_read_all(int fd, limits within = {}) {
  std::string all;
  std::size_t size = 0;
  for (std::size_t n = 1; n != 0; size += n) {
    if (size == all.size()) all.resize(std::max<std::size_t>(4096, 2 * size));
    n = co_await async_read(fd, {&all[size], all.size() - size}, within);
  }
  all.resize(size);
  co_return all;
}

/// Writes all of `from`. With a std::error_code it returns how many bytes it has written, which are
/// fewer than from.size() only after an error.
/// \code
/// nopal::io::write_all(1, std::string(100'000, 'x'));
/// \endcode
inline void write_all(int fd, const_bytes from, const limits& within = {}) {
  std::span<const std::byte> left = from;
  while (!left.empty()) left = left.subspan(write(fd, left, within));
}
inline std::size_t write_all(int fd, const_bytes from, std::error_code& error,
                             const limits& within = {}) noexcept {
  std::span<const std::byte> left = from;
  error.clear();
  while (!left.empty() && !error) left = left.subspan(write(fd, left, error, within));
  return from.size() - left.size();
}
[[nodiscard]] inline task<> async_write_all(int fd, const_bytes from, limits within = {}) {
  std::span<const std::byte> left = from;
  while (!left.empty()) left = left.subspan(co_await async_write(fd, left, within));
}
[[nodiscard]] inline task<std::size_t> async_write_all(int fd, const_bytes from,
                                                       std::error_code& error, limits within = {}) {
  std::span<const std::byte> left = from;
  error.clear();
  while (!left.empty() && !error)
    left = left.subspan(co_await async_write(fd, left, error, within));
  co_return from.size() - left.size();
}

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal

#include "nopal/detail/io/refused_whole.hpp"  // last: it looks at what stands above
