// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nopal/options.hpp>
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
  bool mpi = false;
};

/// The settings, or the status to exit with at once: after --help, --version or a mistake, when the
/// answer has been written.
struct command_line {
  settings wanted;
  std::optional<int> exit_status;
};

/// \param writes  whether an answer is written. Of several ranks only one does.
[[nodiscard]] command_line parse_command_line(int count, const char* const* arguments, bool writes);

/// Whether the command line has --mpi, be the rest of it right or wrong.
[[nodiscard]] bool asks_for_mpi(int count, const char* const* arguments) noexcept;

/// \throws failure if the environment says what nopal does not allow.
[[nodiscard]] nopal::options runtime_options(const settings& wanted);

/// The version of this program.
[[nodiscard]] const char* version() noexcept;

}  // namespace treehash
