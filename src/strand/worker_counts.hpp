// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/statistics.hpp"

namespace nopal::detail {

/// The counts of one worker. Its thread counts, and any thread may read. Counting is a load and a
/// store, no read-modify-write.
class worker_counts {
 public:
  /// Adds `n` to a count. Only the worker calls this.
  void add(std::uint64_t counts::* which, std::uint64_t n = 1) noexcept {
    const std::atomic_ref count(own_.*which);
    count.store(count.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }

  /// Copies the counts. Any thread may call this.
  [[nodiscard]] counts snapshot() const noexcept;

 private:
  mutable counts own_;  // an atomic_ref of a constant comes with C++26
};

}  // namespace nopal::detail
