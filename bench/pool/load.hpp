// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace nopal_bench {

/// What goes through a pool: as large as a pointer, and never zero.
using pool_task = std::uintptr_t;

/// Tasks from one look at anything shared to the next, the same on both sides and for all variants:
/// so few that a count is never far behind, so many that the looks cost nothing beside the tasks.
constexpr unsigned pool_batch = 256;

/// What one measurement asks for.
struct pool_load {
  unsigned producers = 1;
  unsigned consumers = 1;
  std::uint32_t chunk = 0;  ///< Tasks in a chunk; 0 where the variant has no chunks.
  std::uint64_t window = std::uint64_t{1} << 18;  ///< Tasks in the pool from which producers pause.
  bool pinned = true;
  bool memory_on_one_node = false;
  bool producers_alone = false;  ///< The producers have CPUs on which no consumer runs.
  unsigned slow = 0;             ///< Work of the first consumer for each task, in dependent steps.
  bool stalled = false;          ///< The first consumer takes one task and stops to the end.
  double seconds = 2;

  [[nodiscard]] unsigned threads() const { return producers + consumers; }
  /// Before the clock: until the pool has the memory that it needs.
  [[nodiscard]] double warm_up_seconds() const { return seconds / 10; }
};

/// What one repetition found. The tasks are those of the time that was measured, the rest is of all
/// of it.
struct pool_repetition {
  double seconds = 0;
  std::uint64_t tasks = 0;
  std::uint64_t put = 0;
  std::uint64_t pauses = 0;
  std::uint64_t empty_gets = 0;
  std::optional<std::uint64_t>
      compare_and_swaps;  ///< By all threads; nothing where they are not counted.
};

}  // namespace nopal_bench
