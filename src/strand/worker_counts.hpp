// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/statistics.hpp"

namespace nopal::detail {

/// The counts of one worker, whose thread makes them and which any thread may read. Counting is a
/// load and a store, no read-modify-write.
class worker_counts {
 public:
  /// The worker.
  void add(std::uint64_t counts::* which, std::uint64_t n = 1) noexcept {
    const std::atomic_ref count(own_.*which);
    count.store(count.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }

  /// Any thread.
  [[nodiscard]] counts snapshot() const noexcept;

 private:
  mutable counts own_;  // std::atomic_ref of a constant comes with C++26
};

}  // namespace nopal::detail
