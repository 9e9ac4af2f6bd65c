// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "nopal/detail/platform/config.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // as in options.hpp
#endif
namespace io {

/// What a name in a directory stands for. A symbolic link is one, whatever it leads to.
enum class file_kind : unsigned char {
  unknown,
  regular,
  directory,
  symlink,
  fifo,
  socket,
  block_device,
  character_device,
};

/// A name in a directory. \see read_directory
struct directory_entry {
  std::string name;  ///< Without the path of the directory.
  file_kind kind = file_kind::unknown;

  bool operator==(const directory_entry&) const = default;
};

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
