// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nopal/detail/platform/hook.hpp>
#include <optional>

#ifdef NOPAL_HOOKS
#include <atomic>
#endif

namespace nopal_bench {

#ifdef NOPAL_HOOKS
/// The compare-and-swaps of nopal's pool, successful or not, which the hooks announce. One object
/// at a time.
class swap_count {
 public:
  swap_count() {
    nopal::detail::hook_slot.store(
        &on_step, std::memory_order_release);  // pairs with the acquire load in hook()
  }
  ~swap_count() { nopal::detail::hook_slot.store(nullptr, std::memory_order_release); }
  swap_count(const swap_count&) = delete;
  swap_count& operator=(const swap_count&) = delete;

  /// Those of the calling thread, which has done with the pool. Relaxed: a join comes before all().
  void add_mine() { all_.fetch_add(mine_, std::memory_order_relaxed); }
  [[nodiscard]] std::optional<std::uint64_t> all() const {
    return all_.load(std::memory_order_relaxed);
  }

 private:
  static bool on_step(nopal::detail::step at) {
    using nopal::detail::step;
    if (at == step::pool_swapping || at == step::pool_stealing || at == step::pool_retiring) {
      ++mine_;
    }
    return false;
  }

  static inline thread_local std::uint64_t mine_ = 0;
  std::atomic<std::uint64_t> all_{0};
};
#else
/// Without hooks nothing is counted, and what is measured stays as it is.
class swap_count {
 public:
  void add_mine() {}
  [[nodiscard]] std::optional<std::uint64_t> all() const { return {}; }
};
#endif

}  // namespace nopal_bench
