// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace nopal::mpi {

/// How a world is.
struct options {
  /// After how long without a sign of life another rank is given up, and the run ends with a
  /// message that names it.
  std::chrono::milliseconds patience = std::chrono::seconds(30);
};

}  // namespace nopal::mpi
