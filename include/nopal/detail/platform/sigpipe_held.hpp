// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include <cerrno>
#include <csignal>

namespace nopal::detail {

/// Whether a write to this file may send SIGPIPE to the thread that makes it.
inline bool may_send_sigpipe(int fd) noexcept {
  struct ::stat s{};
  return fstat(fd, &s) == 0 && (S_ISFIFO(s.st_mode) || S_ISSOCK(s.st_mode));
}

/// Calls `write`, which fails with EPIPE if it would send SIGPIPE. A worker does not block that
/// signal the rest of the time, since processes inherit what it blocks.
/// \param waits  whether the write may wait. A write that has waited may have written something
/// when the signal comes, and returns that.
/// \returns what `write` returns, with its errno.
template <class F>
auto without_sigpipe(bool waits, F&& write) noexcept {
  sigset_t only, before;
  sigemptyset(&only);
  sigaddset(&only, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &only, &before);
  const auto n = write();
  const int error = errno;
  // The signal was sent to this thread, and waits to be handled, unless the program ignores it.
  const timespec at_once{};
  if (waits || (n < 0 && error == EPIPE)) sigtimedwait(&only, nullptr, &at_once);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return n;
}

}  // namespace nopal::detail
