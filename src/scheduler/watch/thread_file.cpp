// SPDX-License-Identifier: Apache-2.0
#ifdef NOPAL_CHECK

#include "scheduler/watch/thread_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>

namespace nopal::detail {

std::string_view first_line(file_line& room, pid_t thread, const char* file) noexcept {
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/%s", thread, file);
  const int fd = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  const ssize_t got = ::read(fd, room.data(), room.size());
  ::close(fd);
  const std::string_view text(room.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  return text.substr(0, text.find('\n'));
}

}  // namespace nopal::detail

#endif
