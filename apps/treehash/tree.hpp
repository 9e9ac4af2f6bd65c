// SPDX-License-Identifier: Apache-2.0
// Reading a directory tree by paths relative to its root.
//
// Only the root stays open. Everything else is opened from it by its whole relative path and closed
// as soon as it has been read, so the number of open descriptors does not grow with the depth of
// the tree (the time for looking paths up does: some 1.5 s for a chain of 5000 directories). A path
// too long for one system call is opened in several steps. Symbolic links inside the tree are never
// followed, not even if a directory is replaced by a link meanwhile (openat2 with
// RESOLVE_NO_SYMLINKS; a kernel without it checks the last step only).
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace treehash {

/// An open file descriptor, or -1.
class descriptor {
 public:
  explicit descriptor(int number = -1) noexcept : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(other.release()) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor();
  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] explicit operator bool() const noexcept { return number_ >= 0; }
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// A descriptor, or the errno value that says why there is none.
struct opened {
  descriptor file;
  int error = 0;
};

/// One name in a directory. `type` is one of the S_IF constants, or 0 when it cannot be found out,
/// because of `error`.
struct named {
  std::string name;
  mode_t type = 0;
  int error = 0;
};

/// What a directory holds, without "." and "..", in the order of the file system. After an `error`
/// (an errno value) the names are those read until then.
struct directory_contents {
  std::vector<named> names;
  int error = 0;
};

class tree {
 public:
  /// \throws failure when the directory cannot be opened.
  explicit tree(const std::string& directory);

  /// Opens a file for reading. `path` is relative to the root and has no "./" in front. Never
  /// blocks, even if a pipe took the place of the file.
  [[nodiscard]] opened open_file(const std::string& path) const;

  /// Reads a directory; "" is the root.
  [[nodiscard]] directory_contents list(const std::string& path) const;

 private:
  [[nodiscard]] opened open_relative(const std::string& path, int flags) const;

  descriptor root_;
};

/// What an errno value means, in words.
[[nodiscard]] std::string explain(int error);

/// Lets the process have as many descriptors as its hard limit permits: hundreds of workers need
/// more than the usual soft limit of 1024.
void raise_descriptor_limit() noexcept;

}  // namespace treehash
