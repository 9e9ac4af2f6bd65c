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
  unsigned workers = 0;
  std::optional<differences> against;  ///< With --check.

  /// 0, or 1 when there is a problem or a difference.
  [[nodiscard]] int exit_status() const noexcept;
};

/// Everything for standard output, and the summary and the problems for standard error.
/// \throws failure when standard output cannot be written to.
void report(const settings& wanted, const outcome& result);

}  // namespace treehash
