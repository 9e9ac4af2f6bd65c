// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace nopal::stm {

/// The counts of what all transactions have done since the process began.
/// \code
/// const nopal::stm::statistics before = nopal::stm::stats();
/// nopal::stm::var<int> x{0};
/// nopal::stm::atomically([&](nopal::stm::transaction& t) { t.set(x, 1); });
/// const auto commits = nopal::stm::stats().commits - before.commits;  // 1, if no other ran
/// \endcode
struct statistics {
  std::uint64_t commits = 0;              ///< Commits that wrote or destroyed something.
  std::uint64_t read_only_commits = 0;    ///< All other commits.
  std::uint64_t conflicts = 0;            ///< Attempts that failed because of others.
  std::uint64_t retries = 0;              ///< Attempts that ended in retry().
  std::uint64_t extensions = 0;           ///< Reads of something new that needed no new attempt.
  std::uint64_t validations = 0;          ///< Commits that looked at all that they had read.
  std::uint64_t validations_skipped = 0;  ///< Commits that did not need to look.
  std::uint64_t tokens = 0;               ///< Attempts that kept all others from committing.
  std::uint64_t locations_read = 0;       ///< The sizes of the commits' read-sets.
  std::uint64_t locations_written = 0;    ///< The sizes of the commits' write-sets.
  std::uint64_t running = 0;              ///< Transactions that run now, or are suspended.
};

/// Returns the counts so far. They are approximate while transactions run.
/// Complexity: linear in the largest number of transactions that ever ran at once.
/// Thread-safety: any thread may call it at any time.
/// \code
/// std::uint64_t conflicts = nopal::stm::stats().conflicts;
/// \endcode
[[nodiscard]] statistics stats() noexcept;

}  // namespace nopal::stm
