// SPDX-License-Identifier: Apache-2.0
// Calls on files, pipes, terminals, and every other descriptor.
#pragma once

#include <sys/stat.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <system_error>

#include "nopal/detail/io/perform.hpp"
#include "nopal/io/bytes.hpp"
#include "nopal/io/limits.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {
#endif
namespace io {

// Each call has four forms. The plain one throws std::system_error; with a std::error_code& it
// throws nothing. async_ forms are for tasks, which co_await them. In each, whatever the arguments
// point to has to stay until the call has ended.

/// Reads up to to.size() bytes into `to`. Returns how many; 0 at the end of the file.
inline std::size_t read(int fd, mutable_bytes to, const limits& within = {}) {
  return detail::perform<std::size_t>(detail::io_call::read(fd, to), within);
}
inline std::size_t read(int fd, mutable_bytes to, std::error_code& error,
                        const limits& within = {}) noexcept {
  return detail::perform<std::size_t>(detail::io_call::read(fd, to), error, within);
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_read(int fd, mutable_bytes to,
                                                                   const limits& within = {}) {
  return {detail::io_call::read(fd, to), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_read(int fd, mutable_bytes to,
                                                                   std::error_code& error,
                                                                   const limits& within = {}) {
  return {detail::io_call::read(fd, to), &error, within};
}

/// Does what read() does, from `offset`, in bytes from the beginning. The file's own position stays
/// as it is.
inline std::size_t pread(int fd, mutable_bytes to, std::int64_t offset, const limits& within = {}) {
  return detail::perform<std::size_t>(detail::io_call::read(fd, to).at(offset), within);
}
inline std::size_t pread(int fd, mutable_bytes to, std::int64_t offset, std::error_code& error,
                         const limits& within = {}) noexcept {
  return detail::perform<std::size_t>(detail::io_call::read(fd, to).at(offset), error, within);
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_pread(int fd, mutable_bytes to,
                                                                    std::int64_t offset,
                                                                    const limits& within = {}) {
  return {detail::io_call::read(fd, to).at(offset), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_pread(int fd, mutable_bytes to,
                                                                    std::int64_t offset,
                                                                    std::error_code& error,
                                                                    const limits& within = {}) {
  return {detail::io_call::read(fd, to).at(offset), &error, within};
}

/// Reads into several buffers, at most 1024, one after the other.
inline std::size_t readv(int fd, std::span<const iovec> to, const limits& within = {}) {
  return detail::perform<std::size_t>(detail::io_call::readv(fd, to), within);
}
inline std::size_t readv(int fd, std::span<const iovec> to, std::error_code& error,
                         const limits& within = {}) noexcept {
  return detail::perform<std::size_t>(detail::io_call::readv(fd, to), error, within);
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_readv(int fd,
                                                                    std::span<const iovec> to,
                                                                    const limits& within = {}) {
  return {detail::io_call::readv(fd, to), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_readv(int fd,
                                                                    std::span<const iovec> to,
                                                                    std::error_code& error,
                                                                    const limits& within = {}) {
  return {detail::io_call::readv(fd, to), &error, within};
}

/// Does what readv() does, from `offset`.
inline std::size_t preadv(int fd, std::span<const iovec> to, std::int64_t offset,
                          const limits& within = {}) {
  return detail::perform<std::size_t>(detail::io_call::readv(fd, to).at(offset), within);
}
inline std::size_t preadv(int fd, std::span<const iovec> to, std::int64_t offset,
                          std::error_code& error, const limits& within = {}) noexcept {
  return detail::perform<std::size_t>(detail::io_call::readv(fd, to).at(offset), error, within);
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_preadv(int fd,
                                                                     std::span<const iovec> to,
                                                                     std::int64_t offset,
                                                                     const limits& within = {}) {
  return {detail::io_call::readv(fd, to).at(offset), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_preadv(int fd,
                                                                     std::span<const iovec> to,
                                                                     std::int64_t offset,
                                                                     std::error_code& error,
                                                                     const limits& within = {}) {
  return {detail::io_call::readv(fd, to).at(offset), &error, within};
}

/// Writes up to from.size() bytes. Returns how many were written, which may be fewer.
/// On a worker nobody gets SIGPIPE: a pipe or socket that nobody reads gives
/// std::errc::broken_pipe.
inline std::size_t write(int fd, const_bytes from, const limits& within = {}) {
  return detail::perform<std::size_t>(detail::io_call::write(fd, from), within);
}
inline std::size_t write(int fd, const_bytes from, std::error_code& error,
                         const limits& within = {}) noexcept {
  return detail::perform<std::size_t>(detail::io_call::write(fd, from), error, within);
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_write(int fd, const_bytes from,
                                                                    const limits& within = {}) {
  return {detail::io_call::write(fd, from), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_write(int fd, const_bytes from,
                                                                    std::error_code& error,
                                                                    const limits& within = {}) {
  return {detail::io_call::write(fd, from), &error, within};
}

/// Does what write() does, at `offset`, in bytes from the beginning. The file's own position stays
/// as it is.
inline std::size_t pwrite(int fd, const_bytes from, std::int64_t offset,
                          const limits& within = {}) {
  return detail::perform<std::size_t>(detail::io_call::write(fd, from).at(offset), within);
}
inline std::size_t pwrite(int fd, const_bytes from, std::int64_t offset, std::error_code& error,
                          const limits& within = {}) noexcept {
  return detail::perform<std::size_t>(detail::io_call::write(fd, from).at(offset), error, within);
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_pwrite(int fd, const_bytes from,
                                                                     std::int64_t offset,
                                                                     const limits& within = {}) {
  return {detail::io_call::write(fd, from).at(offset), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_pwrite(int fd, const_bytes from,
                                                                     std::int64_t offset,
                                                                     std::error_code& error,
                                                                     const limits& within = {}) {
  return {detail::io_call::write(fd, from).at(offset), &error, within};
}

/// Writes several buffers, at most 1024, one after the other.
inline std::size_t writev(int fd, std::span<const iovec> from, const limits& within = {}) {
  return detail::perform<std::size_t>(detail::io_call::writev(fd, from), within);
}
inline std::size_t writev(int fd, std::span<const iovec> from, std::error_code& error,
                          const limits& within = {}) noexcept {
  return detail::perform<std::size_t>(detail::io_call::writev(fd, from), error, within);
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_writev(int fd,
                                                                     std::span<const iovec> from,
                                                                     const limits& within = {}) {
  return {detail::io_call::writev(fd, from), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_writev(int fd,
                                                                     std::span<const iovec> from,
                                                                     std::error_code& error,
                                                                     const limits& within = {}) {
  return {detail::io_call::writev(fd, from), &error, within};
}

/// Does what writev() does, at `offset`.
inline std::size_t pwritev(int fd, std::span<const iovec> from, std::int64_t offset,
                           const limits& within = {}) {
  return detail::perform<std::size_t>(detail::io_call::writev(fd, from).at(offset), within);
}
inline std::size_t pwritev(int fd, std::span<const iovec> from, std::int64_t offset,
                           std::error_code& error, const limits& within = {}) noexcept {
  return detail::perform<std::size_t>(detail::io_call::writev(fd, from).at(offset), error, within);
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_pwritev(int fd,
                                                                      std::span<const iovec> from,
                                                                      std::int64_t offset,
                                                                      const limits& within = {}) {
  return {detail::io_call::writev(fd, from).at(offset), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<std::size_t> async_pwritev(int fd,
                                                                      std::span<const iovec> from,
                                                                      std::int64_t offset,
                                                                      std::error_code& error,
                                                                      const limits& within = {}) {
  return {detail::io_call::writev(fd, from).at(offset), &error, within};
}

/// Opens `path` below the directory with descriptor `directory`, which may be AT_FDCWD. `mode` is
/// that of a file that is made, and is not used otherwise. Returns the descriptor.
inline int openat(int directory, const char* path, int flags, mode_t mode,
                  const limits& within = {}) {
  return detail::perform<int>(detail::io_call::openat(directory, path, flags, mode), within);
}
inline int openat(int directory, const char* path, int flags, mode_t mode, std::error_code& error,
                  const limits& within = {}) noexcept {
  return detail::perform<int>(detail::io_call::openat(directory, path, flags, mode), error, within);
}
[[nodiscard]] inline detail::io_expression<int> async_openat(int directory, const char* path,
                                                             int flags, mode_t mode,
                                                             const limits& within = {}) {
  return {detail::io_call::openat(directory, path, flags, mode), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<int> async_openat(int directory, const char* path,
                                                             int flags, mode_t mode,
                                                             std::error_code& error,
                                                             const limits& within = {}) {
  return {detail::io_call::openat(directory, path, flags, mode), &error, within};
}

/// Closes the descriptor, whatever the error, unless a limit has ended the call before it began:
/// with std::errc::operation_canceled or std::errc::timed_out it may be open still. No call on it
/// may be waiting.
inline void close(int fd, const limits& within = {}) {
  return detail::perform<void>(detail::io_call::close(fd), within);
}
inline void close(int fd, std::error_code& error, const limits& within = {}) noexcept {
  return detail::perform<void>(detail::io_call::close(fd), error, within);
}
[[nodiscard]] inline detail::io_expression<void> async_close(int fd, const limits& within = {}) {
  return {detail::io_call::close(fd), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<void> async_close(int fd, std::error_code& error,
                                                             const limits& within = {}) {
  return {detail::io_call::close(fd), &error, within};
}

/// Returns when what was written to the file is on the disk.
inline void fsync(int fd, const limits& within = {}) {
  return detail::perform<void>(detail::io_call::fsync(fd), within);
}
inline void fsync(int fd, std::error_code& error, const limits& within = {}) noexcept {
  return detail::perform<void>(detail::io_call::fsync(fd), error, within);
}
[[nodiscard]] inline detail::io_expression<void> async_fsync(int fd, const limits& within = {}) {
  return {detail::io_call::fsync(fd), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<void> async_fsync(int fd, std::error_code& error,
                                                             const limits& within = {}) {
  return {detail::io_call::fsync(fd), &error, within};
}

/// Asks for what `mask` names of `path` below `directory`, as statx(2) does.
inline void statx(int directory, const char* path, int flags, unsigned mask, struct ::statx& result,
                  const limits& within = {}) {
  return detail::perform<void>(detail::io_call::statx(directory, path, flags, mask, result),
                               within);
}
inline void statx(int directory, const char* path, int flags, unsigned mask, struct ::statx& result,
                  std::error_code& error, const limits& within = {}) noexcept {
  return detail::perform<void>(detail::io_call::statx(directory, path, flags, mask, result), error,
                               within);
}
[[nodiscard]] inline detail::io_expression<void> async_statx(int directory, const char* path,
                                                             int flags, unsigned mask,
                                                             struct ::statx& result,
                                                             const limits& within = {}) {
  return {detail::io_call::statx(directory, path, flags, mask, result), nullptr, within};
}
[[nodiscard]] inline detail::io_expression<void> async_statx(int directory, const char* path,
                                                             int flags, unsigned mask,
                                                             struct ::statx& result,
                                                             std::error_code& error,
                                                             const limits& within = {}) {
  return {detail::io_call::statx(directory, path, flags, mask, result), &error, within};
}

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal

#include "nopal/detail/io/refused_files.hpp"  // last: it looks at what stands above
