// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace nopal_bench {

/// What one process has measured.
struct stm_record {
  std::string_view workload;
  unsigned threads;
  std::vector<double> seconds{}, cpu_seconds{};  ///< Of each repetition.
  std::uint64_t commits = 0, conflicts = 0;      ///< Of all repetitions.
  double read_set = 0;                           ///< The average size at commit.
  std::vector<std::uint64_t> read_sets{};        ///< Of each size: how many, if that was counted.
};

/// What the measured code is, and what it was compiled by.
struct stm_program {
  std::string_view variant, peer, version, compiler, flags;
};

/// Prints a line of JSON, as all programs that measure do.
void print(const stm_record& r, const stm_program& p);

}  // namespace nopal_bench
