// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {  // as in options.hpp
#endif

/// Counts since the start of a runtime, of one worker or summed over all workers. Each is exact
/// once the runtime is idle, and a recent value while it works. A count is made only after a steal
/// has made things slow already, so counting is always on. Only forks are counted in a build with
/// `NOPAL_COUNT_FORKS` alone, because a fork is the path that must cost nothing.
///
/// This is the one list of the counts: every member is a std::uint64_t, and whatever sums or copies
/// them takes them all.
struct counts {
  /// Forks; 0 unless the library was built with NOPAL_COUNT_FORKS.
  std::uint64_t forks = 0;
  /// Functions spawned by this worker's strands.
  std::uint64_t spawns = 0;
  /// Continuations taken from another worker's deque, and spawned functions from its queue.
  std::uint64_t steals = 0;
  /// Attempts on a deque that did not look empty, and gave nothing.
  std::uint64_t failed_steals = 0;
  /// Strands that left their stack to wait for a join.
  std::uint64_t suspensions = 0;
  /// Suspended strands that this worker resumed although another worker had left their stack.
  std::uint64_t foreign_resumptions = 0;
  /// Strands that this worker could have resumed and left to the worker that had left their stack.
  std::uint64_t sent_home = 0;
  /// Changes from one stack to another.
  std::uint64_t stack_switches = 0;
  /// Stacks taken from the system.
  std::uint64_t stacks_mapped = 0;
  /// Stacks taken from another worker's cache.
  std::uint64_t stacks_stolen = 0;
  /// Calls of madvise(2) that gave stale pages back.
  std::uint64_t unmaps = 0;
  /// Pages in the ranges of those calls, resident or not.
  std::uint64_t pages_given_back = 0;
  /// Times that the worker went to sleep in the kernel.
  std::uint64_t sleeps = 0;
  /// Times that the worker woke another one.
  std::uint64_t wake_ups = 0;

  /// Adds the counts of another worker.
  counts& operator+=(const counts& other) noexcept;
};

#ifdef NOPAL_SERIAL
inline counts& counts::operator+=(const counts& other) noexcept {
  using all = std::array<std::uint64_t, sizeof(counts) / sizeof(std::uint64_t)>;
  auto sum = std::bit_cast<all>(*this);
  const auto more = std::bit_cast<all>(other);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
  return *this = std::bit_cast<counts>(sum);
}
#endif

/// A snapshot of a runtime. From runtime::stats().
/// \code
/// nopal::runtime r;
/// r.run([] { nopal::parallel_invoke([] {}, [] {}); });
/// const nopal::statistics now = r.stats();
/// const std::uint64_t stolen = now.total.steals;
/// const std::uint64_t by_worker_0 = now.per_worker[0].steals;
/// \endcode
struct statistics {
  /// Sum over all workers, and over the threads that take part in their own calls.
  counts total;
  /// One for each worker, by index.
  std::vector<counts> per_worker;
  /// Stacks that hold a strand now, running or suspended.
  std::size_t stacks_in_use = 0;
  /// The largest value of stacks_in_use so far.
  std::size_t peak_stacks_in_use = 0;
  /// Workers that should be bound to a CPU and could not be.
  std::size_t unpinned = 0;
  /// Whether membarrier(2) is in use. If not, the owner of a deque pays for a fence at each join.
  bool asymmetric_fences = false;
};

#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
