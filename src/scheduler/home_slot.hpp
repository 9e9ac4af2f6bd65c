// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"
#include "scheduler/events.hpp"

namespace nopal::detail {

/// The slot in which a worker that searches is offered a strand whose stack it was the last to
/// leave. Otherwise the worker that arrived last at the join would go on with the strand, far from
/// the caches that hold the strand's data. docs/join.md has the protocol and its argument,
/// tests/models/home.pml the model.
///
/// The slot is closed while the worker has something to do, or sleeps. Otherwise it is open, or
/// holds an offer. Wait-free.
class alignas(cache_line) home_slot {
 public:
  /// Opens the closed slot: from here on there may be an offer. Its worker calls this.
  void open() noexcept {
    NOPAL_ASSERT(is_closed());  // an offer that this overwrites would be lost
    word_.store(nullptr, std::memory_order_relaxed);
  }
  [[nodiscard]] bool is_closed() const noexcept {
    return word_.load(std::memory_order_relaxed) == closed();
  }

  /// Closes the slot. Returns the strand offered, which the worker is to go on with, or nullptr.
  /// Its worker calls this.
  continuation* close() noexcept {
    continuation* c = word_.exchange(closed(), std::memory_order_acquire);  // pairs with offer()
    return is_offer(c) ? c : nullptr;
  }

  /// Offers `c`, and returns whether the slot has taken it: the caller has nothing more to do with
  /// `c` then. Any other worker may call this.
  bool offer(continuation& c) noexcept {
    emit<scheduler_events::offering>();
    continuation* is_open = nullptr;
    // The release pairs with the acquires in close() and take().
    return word_.load(std::memory_order_relaxed) == is_open &&
           word_.compare_exchange_strong(is_open, &c, std::memory_order_release,
                                         std::memory_order_relaxed);
  }

  [[nodiscard]] bool holds_offer() const noexcept {
    return is_offer(word_.load(std::memory_order_relaxed));
  }

  /// Takes the strand offered, which the slot's worker does not go on with then, or returns
  /// nullptr. Any other worker may call this. It does so after a long search: the system may have
  /// stopped the slot's worker.
  continuation* take() noexcept {
    continuation* c = word_.load(std::memory_order_relaxed);
    // The acquire pairs with the release in offer(). The same strand may have come home meanwhile,
    // and been offered once more: then the caller takes it just as well.
    const bool taken =
        is_offer(c) && word_.compare_exchange_strong(c, nullptr, std::memory_order_acquire,
                                                     std::memory_order_relaxed);
    return taken ? c : nullptr;
  }

 private:
  /// The value of a closed slot. Aligned objects lie elsewhere.
  static continuation* closed() noexcept { return reinterpret_cast<continuation*>(1); }
  static bool is_offer(const continuation* c) noexcept { return c != nullptr && c != closed(); }

  std::atomic<continuation*> word_{closed()};
};

}  // namespace nopal::detail
