// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "pool/load.hpp"

namespace nopal_bench {

/// How many tasks have gone in and come out, and when all is over. Each thread counts for itself
/// and publishes its count once in a batch, on lines that nobody else writes: what is measured is
/// the pool, not the counting.
class pool_traffic {
 public:
  explicit pool_traffic(const pool_load& how)
      : window_(how.window), put_(how.producers), got_(how.consumers) {}

  // Relaxed: the counts order nothing. Where they must be exact, a join of the threads comes
  // before.
  void publish_put(unsigned producer, std::uint64_t tasks) {
    put_[producer].tasks.store(tasks, std::memory_order_relaxed);
  }
  void publish_got(unsigned consumer, std::uint64_t tasks) {
    got_[consumer].tasks.store(tasks, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t got() const { return sum(got_); }

  /// Tasks that each producer may put before it asks again. A share of what the window still holds,
  /// so that producers look at the counts of others a few times in a window and not in every batch;
  /// together they pass it by less than another.
  [[nodiscard]] std::uint64_t room() const {
    const std::uint64_t got = sum(got_);
    const std::uint64_t put = sum(put_);
    // What is not published yet may have come out.
    const std::uint64_t inside = put > got ? put - got : 0;
    return inside < window_ ? (window_ - inside) / put_.size() : 0;
  }

  /// No more is to be put. Relaxed: producers come to it when they do.
  void stop() { stopped_.word.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool is_stopped() const { return stopped_.word.load(std::memory_order_relaxed); }

  /// For a consumer that stalls. Sleeps: it takes no CPU from others.
  void wait_for_stop() const {
    while (!is_stopped()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  /// All that will be put has been: whoever sees this finds the pool empty only when it is.
  void no_more() {
    // Pairs with is_complete().
    complete_.word.store(true, std::memory_order_release);
  }
  [[nodiscard]] bool is_complete() const {
    // Pairs with no_more().
    return complete_.word.load(std::memory_order_acquire);
  }

 private:
  static constexpr std::size_t apart = 128;  // two lines: they are fetched in pairs

  struct alignas(apart) count {
    std::atomic<std::uint64_t> tasks{0};
  };
  struct alignas(apart) flag {
    std::atomic<bool> word{false};
  };

  static std::uint64_t sum(const std::vector<count>& counts) {
    std::uint64_t all = 0;
    for (const auto& c : counts) {
      all += c.tasks.load(std::memory_order_relaxed);
    }
    return all;
  }

  const std::uint64_t window_;
  std::vector<count> put_;
  std::vector<count> got_;
  flag stopped_;
  flag complete_;
};

}  // namespace nopal_bench
