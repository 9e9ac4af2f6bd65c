// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"
#include "scheduler/events.hpp"

namespace nopal::detail {

/// Where a worker that searches is offered a strand whose stack it was the last to leave: whoever
/// arrived last at the join would else go on with it, far from what it has in its caches.
/// docs/join.md has the protocol and its argument, tests/models/home.pml the model.
///
/// Closed while the worker has something to do, or sleeps; else open, or it holds an offer.
/// Wait-free.
class alignas(cache_line) home_slot {
 public:
  /// Its worker, while it is closed: from here on there may be an offer.
  void open() noexcept {
    NOPAL_ASSERT(is_closed());  // an offer that this overwrites would be lost
    word_.store(nullptr, std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_closed() const noexcept {
    return word_.load(std::memory_order_relaxed) == closed();
  }

  /// Its worker. Returns the strand offered, which it is to go on with, or nullptr.
  continuation* close() noexcept {
    continuation* c = word_.exchange(closed(), std::memory_order_acquire);  // pairs with offer()
    return is_offer(c) ? c : nullptr;
  }

  /// Any other worker, which then has nothing more to do with `c`, or is told that it is not taken.
  bool offer(continuation& c) noexcept {
    emit<scheduler_events::offering>();
    continuation* is_open = nullptr;
    // Released for close() and take().
    return word_.load(std::memory_order_relaxed) == is_open &&
           word_.compare_exchange_strong(is_open, &c, std::memory_order_release,
                                         std::memory_order_relaxed);
  }

  [[nodiscard]] bool holds_offer() const noexcept {
    return is_offer(word_.load(std::memory_order_relaxed));
  }

  /// Any other worker: the strand offered, which its worker does not go on with then, or nullptr.
  continuation* take() noexcept {
    continuation* c = word_.load(std::memory_order_relaxed);
    // Acquired from offer(). The same strand may have come home meanwhile, and been offered once
    // more: that is as good.
    const bool taken =
        is_offer(c) && word_.compare_exchange_strong(c, nullptr, std::memory_order_acquire,
                                                     std::memory_order_relaxed);
    return taken ? c : nullptr;
  }

 private:
  static continuation* closed() noexcept {
    return reinterpret_cast<continuation*>(1);
  }  // aligned objects lie elsewhere
  static bool is_offer(const continuation* c) noexcept { return c != nullptr && c != closed(); }

  std::atomic<continuation*> word_{closed()};
};

}  // namespace nopal::detail
