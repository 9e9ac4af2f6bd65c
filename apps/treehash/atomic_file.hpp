// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tree.hpp"

namespace treehash {

/// A file that appears under its name complete, or not at all: it is written under a temporary name
/// in the same directory, and renamed. An earlier file of that name stays as it is until then.
class atomic_file {
 public:
  /// Finds out early whether the file can be made; makes nothing yet.
  /// \throws failure when the path is no regular file, or its directory cannot be written to.
  explicit atomic_file(std::string path);
  atomic_file(const atomic_file&) = delete;
  atomic_file& operator=(const atomic_file&) = delete;
  /// Removes the temporary file, unless commit() was called.
  ~atomic_file();

  /// \throws failure with the reason.
  void write(std::string_view text);

  /// Gives the file its name, once it is safely on the disk.
  /// \throws failure with the reason.
  void commit();

 private:
  void open_temporary();
  [[noreturn]] void fail(int error) const;

  std::string path_;
  std::string temporary_;
  descriptor file_;
};

}  // namespace treehash
