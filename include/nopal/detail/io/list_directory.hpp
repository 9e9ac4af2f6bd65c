// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "nopal/io/directory_entry.hpp"

namespace nopal::detail {
#ifdef NOPAL_SERIAL
inline namespace serial_io {  // its entries are those of the serial elision
#endif

constexpr io::file_kind kind_of_mode(mode_t mode) noexcept {
  switch (mode & S_IFMT) {
    case S_IFREG:
      return io::file_kind::regular;
    case S_IFDIR:
      return io::file_kind::directory;
    case S_IFLNK:
      return io::file_kind::symlink;
    case S_IFIFO:
      return io::file_kind::fifo;
    case S_IFSOCK:
      return io::file_kind::socket;
    case S_IFBLK:
      return io::file_kind::block_device;
    case S_IFCHR:
      return io::file_kind::character_device;
    default:
      return io::file_kind::unknown;
  }
}

/// Reads a directory.
struct list_directory {
  // g++ 12 destroys an aggregate twice that is made for a call which a coroutine awaits.
  explicit list_directory(std::string p) noexcept : path(std::move(p)) {}

  std::string path;

  std::vector<io::directory_entry> operator()(std::error_code& error) const {
    std::vector<io::directory_entry> entries;
    struct closes {
      void operator()(DIR* d) const noexcept { ::closedir(d); }
    };
    const std::unique_ptr<DIR, closes> directory(::opendir(path.c_str()));
    while (directory != nullptr) {
      errno = 0;
      const dirent* e = ::readdir(directory.get());
      if (e == nullptr) break;
      const std::string_view name = e->d_name;
      if (name != "." && name != "..")
        entries.push_back({std::string(name), kind_of(::dirfd(directory.get()), *e)});
    }
    if (errno != 0) error.assign(errno, std::system_category());
    return entries;
  }

 private:
  /// Some file systems tell no kinds with the names.
  static io::file_kind kind_of(int directory, const dirent& e) noexcept {
    if (e.d_type != DT_UNKNOWN) return kind_of_mode(static_cast<::mode_t>(DTTOIF(e.d_type)));
    struct ::stat s{};
    if (::fstatat(directory, e.d_name, &s, AT_SYMLINK_NOFOLLOW) != 0) return io::file_kind::unknown;
    return kind_of_mode(s.st_mode);
  }
};

#ifdef NOPAL_SERIAL
}  // namespace serial_io
#endif
}  // namespace nopal::detail
