// SPDX-License-Identifier: Apache-2.0
// What a run prints at its end.
#pragma once

#include <optional>
#include <string>

#include "check.hpp"
#include "command_line.hpp"
#include "walk.hpp"

namespace treehash {

struct outcome {
  walk_result found;
  digest tree = {};
  double seconds = 0;
  unsigned workers = 0;                ///< Of this process.
  int ranks = 0;                       ///< 0: without --mpi.
  std::optional<differences> against;  ///< The result of --check.

  /// 0, or 1 when there is a problem or a difference.
  [[nodiscard]] int exit_status() const noexcept;
};

/// Writes the results to standard output and the problems to standard error. The summary goes to
/// standard error if there is a listing, and to standard output otherwise.
/// \throws failure when standard output cannot be written to.
void report(const settings& wanted, const outcome& result);

}  // namespace treehash
