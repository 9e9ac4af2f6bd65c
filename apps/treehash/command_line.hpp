// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace treehash {

struct settings {
  std::string directory;
  std::optional<unsigned> workers;  ///< If it is not set, the environment decides.
  std::string output;               ///< "": none.
  std::string check;                ///< "": none; "-": standard input.
  bool list = false;
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool ignore_links = false;
};

/// The settings, or the status to exit with at once: after --help, --version or a mistake, when the
/// answer has been written.
struct command_line {
  settings wanted;
  std::optional<int> exit_status;
};

[[nodiscard]] command_line parse_command_line(int count, const char* const* arguments);

/// The version of this program.
[[nodiscard]] const char* version() noexcept;

}  // namespace treehash
