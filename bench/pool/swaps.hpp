// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#ifdef NOPAL_EVENTS
#include <atomic>

#include "nopal/detail/pool/events.hpp"
#include "platform/subscription.hpp"
#endif

namespace nopal_bench {

#ifdef NOPAL_EVENTS
/// The compare-and-swaps of nopal's pool, successful or not, which its events announce. One
/// object at a time.
class swap_count {
 public:
  /// Those of the calling thread, which has done with the pool. Relaxed: a join comes before all().
  void add_mine() { all_.fetch_add(mine_, std::memory_order_relaxed); }
  [[nodiscard]] std::optional<std::uint64_t> all() const {
    return all_.load(std::memory_order_relaxed);
  }

 private:
  struct counter {
    template <class E>
    void operator()(const E& /*event*/) const {
      ++mine_;
    }
  };

  static inline thread_local std::uint64_t mine_ = 0;
  nopal::detail::subscription<nopal::detail::pool_events::swapping,
                              nopal::detail::pool_events::stealing,
                              nopal::detail::pool_events::retiring>
      subscription_{counter{}};
  std::atomic<std::uint64_t> all_{0};
};
#else
/// Without events nothing is counted, and what is measured stays as it is.
class swap_count {
 public:
  void add_mine() {}
  [[nodiscard]] std::optional<std::uint64_t> all() const { return {}; }
};
#endif

}  // namespace nopal_bench
