// SPDX-License-Identifier: Apache-2.0
// This is what a transaction keeps while it runs, and what others read of it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/stm/block_cache.hpp"
#include "nopal/detail/stm/destroyed_log.hpp"
#include "nopal/detail/stm/made_log.hpp"
#include "nopal/detail/stm/read_log.hpp"
#include "nopal/detail/stm/versioned_lock.hpp"
#include "nopal/detail/stm/write_log.hpp"

namespace nopal::detail {

/// The things that are counted of transactions.
enum class stm_count : std::uint8_t {
  commits,
  read_only_commits,
  conflicts,
  retries,
  extensions,
  validations,
  validations_skipped,
  tokens,
  locations_read,
  locations_written,
  number_of  // not a count
};

/// The memory of a transaction. When the transaction ends, its log goes to a cache of the thread,
/// and another transaction uses the log again. A log is never freed, so that all logs can be looked
/// through.
struct alignas(cache_line) transaction_log {
  static constexpr std::uint64_t idle = ~std::uint64_t{0};

  /// The clock, read before the transaction began to read anything else; or idle.
  std::atomic<std::uint64_t> start{idle};
  /// This is not 0 while the transaction commits what it has written.
  std::atomic<std::uint32_t> commits_now{0};
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(stm_count::number_of)> counts{};

  alignas(cache_line) read_log reads;
  write_log writes;
  std::vector<lock_record> locks;
  made_log made;
  destroyed_log destroyed;
  std::vector<std::function<void()>> on_commit;
  std::vector<std::function<void()>> on_abort;
  block_cache freed;
  std::uint64_t random = 0;

  transaction_log* next = nullptr;       ///< The next of all logs.
  transaction_log* next_free = nullptr;  ///< The next of those that no thread has.

  /// Adds `n` to a count. One transaction at a time does so, and others read.
  void count(stm_count c, std::uint64_t n = 1) noexcept {
    std::atomic<std::uint64_t>& x = counts[static_cast<std::size_t>(c)];
    x.store(x.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
};

}  // namespace nopal::detail
