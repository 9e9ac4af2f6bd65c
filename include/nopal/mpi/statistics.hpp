// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace nopal::mpi {

/// What a rank has sent and got since its world began. Sums over ranks are to be made by the
/// program.
struct statistics {
  std::uint64_t messages = 0;  ///< How many it has sent.
  std::uint64_t bytes = 0;     ///< How many these had.
  std::uint64_t requests = 0;  ///< How often it has asked another rank for work.
  std::uint64_t denials = 0;   ///< How often it got none.
  std::uint64_t pieces_got = 0;
  std::uint64_t pieces_given = 0;
};

}  // namespace nopal::mpi
