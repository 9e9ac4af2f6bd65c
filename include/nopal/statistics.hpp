// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // as in options.hpp
#endif

/// Counts since the start of a runtime, of one worker or summed over all. Each is exact once the
/// runtime is idle, and a recent value while it works. Counting happens where a steal has already
/// made things slow, so it is always on; forks alone are counted only in a build with
/// `NOPAL_COUNT_FORKS`, because they are the path that must stay free.
struct counts {
  std::uint64_t forks = 0;          ///< Forks; 0 unless built with NOPAL_COUNT_FORKS.
  std::uint64_t steals = 0;         ///< Continuations taken from another worker's deque.
  std::uint64_t failed_steals = 0;  ///< Attempts on a deque that looked non-empty and gave nothing.
  std::uint64_t suspensions = 0;    ///< Strands that left their stack to wait for a join.
  std::uint64_t foreign_resumptions =
      0;  ///< Suspended strands that went on on another worker than the one that left their stack.
  std::uint64_t sent_home =
      0;  ///< Strands that this worker could go on with and offered to the one they left.
  std::uint64_t stack_switches = 0;    ///< Changes from one stack to another.
  std::uint64_t stacks_mapped = 0;     ///< Stacks taken from the system.
  std::uint64_t stacks_stolen = 0;     ///< Stacks taken from another worker's pool.
  std::uint64_t unmaps = 0;            ///< madvise calls that gave stale pages back.
  std::uint64_t pages_given_back = 0;  ///< Pages in the ranges of those calls, resident or not.
  std::uint64_t sleeps = 0;            ///< Times a worker went to sleep in the kernel.
  std::uint64_t wake_ups = 0;          ///< Times this worker woke another.

  /// Adds the counts of another worker.
  counts& operator+=(const counts& other) noexcept;
};

/// A snapshot of a runtime. From runtime::stats().
struct statistics {
  counts total;                        ///< Sum over all workers.
  std::vector<counts> per_worker;      ///< One for each worker, by index.
  std::size_t stacks_in_use = 0;       ///< Stacks that hold a strand now, running or suspended.
  std::size_t peak_stacks_in_use = 0;  ///< The largest value of stacks_in_use so far.
  std::size_t unpinned = 0;            ///< Workers that should be bound to a CPU and could not be.
  bool asymmetric_fences =
      false;  ///< membarrier(2) is in use; false: the owner pays for a fence at each join.
};

#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
