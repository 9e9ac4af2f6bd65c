// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "nopal/detail/deque/continuation.hpp"

namespace nopal::detail {

/// A queue of continuations, of a runtime or of one worker: any thread puts, any worker takes.
/// Intrusive, unbounded, no allocation.
///
/// Lock-free and not wait-free: put() repeats when another put() or a take() came between. Order is
/// first in, first out but for continuations that come in while a take() is under way.
class inbox {
 public:
  /// Sequentially consistent, so that whoever then finds no searcher awake can rely on it that
  /// every worker that goes to sleep later has seen the continuation (docs/scheduler.md). Pairs
  /// with empty().
  void put(continuation* c) noexcept { put_chain(c, c); }

  /// The same for several, linked by `next` from the newest to the oldest.
  void put_chain(continuation* newest, continuation* oldest) noexcept {
    continuation* old = newest_.load(std::memory_order_relaxed);
    do {
      oldest->next = old;
    } while (!newest_.compare_exchange_weak(old, newest, std::memory_order_seq_cst,
                                            std::memory_order_relaxed));
  }

  [[nodiscard]] bool empty() const noexcept {
    return newest_.load(std::memory_order_seq_cst) == nullptr;
  }

  /// The oldest continuation, or nullptr. For a moment all others are out of sight, and somebody
  /// may go to sleep for that; the caller is a searcher who has found work then, and
  /// idle::found_work() wakes somebody again.
  continuation* take() noexcept {
    if (newest_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    continuation* newest =
        newest_.exchange(nullptr, std::memory_order_acquire);  // pairs with put_chain()
    if (newest == nullptr || newest->next == nullptr) return newest;
    continuation* last = newest;
    while (last->next->next != nullptr) last = last->next;
    continuation* oldest = last->next;
    put_chain(newest, last);
    return oldest;
  }

 private:
  std::atomic<continuation*> newest_{nullptr};
};

}  // namespace nopal::detail
