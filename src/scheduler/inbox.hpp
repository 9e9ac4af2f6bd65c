// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <utility>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

/// A queue of continuations, for a runtime or for one worker. Any thread puts, any worker takes,
/// first in, first out. It is intrusive and unbounded, and does not allocate.
///
/// The continuations that were put form a list from the newest to the oldest. A taker that finds
/// nothing else takes the whole list, reverses it once, and leaves the rest for the takers after
/// it. So a take is O(1), if the reversal is charged to the continuations that it turns. One worker
/// takes at a time. A second one that comes meanwhile is told that there is nothing, and goes on
/// with its search.
///
/// put() is lock-free: it repeats only if another put(), or a taker that took the list, came in
/// between. take() does not wait. But while the system has stopped a taker in the middle, others
/// get nothing.
class inbox {
 public:
  /// Puts `c`. This is sequentially consistent: if the caller then finds no searcher awake, every
  /// worker that goes to sleep later has seen `c` (docs/scheduler.md). It pairs with empty().
  void put(continuation* c) noexcept { put_chain(c, c); }

  /// Does the same, unless the inbox is closed. Returns whether it is open.
  bool put_if_open(continuation* c) noexcept {
    continuation* old = newest_.load(std::memory_order_relaxed);
    do {
      if (old == closed()) return false;
      c->next = old;
    } while (!newest_.compare_exchange_weak(old, c, std::memory_order_seq_cst,  // as in put_chain()
                                            std::memory_order_relaxed));
    return true;
  }

  /// Moves what is in this inbox to `other`, and lets nothing be put into this one from here on.
  /// The caller is the only one that takes from this inbox. Lock-free.
  void close_into(inbox& other) noexcept {
    for (continuation* none = nullptr;; none = nullptr) {
      while (continuation* c = take()) other.put(c);
      if (newest_.compare_exchange_strong(none, closed(), std::memory_order_relaxed)) return;
    }
  }

  /// Lets continuations be put into this inbox from here on. The caller is the same.
  void open() noexcept {
    if (newest_.load(std::memory_order_relaxed) == closed())
      newest_.store(nullptr, std::memory_order_relaxed);
  }

  /// Does what put() does for several continuations, linked by `next` from the newest to the
  /// oldest.
  void put_chain(continuation* newest, continuation* oldest) noexcept {
    NOPAL_ASSERT(newest != nullptr && oldest != nullptr);
    continuation* old = newest_.load(std::memory_order_relaxed);
    do {
      oldest->next = old;
    } while (!newest_.compare_exchange_weak(old, newest, std::memory_order_seq_cst,
                                            std::memory_order_relaxed));
  }

  /// Whether nothing that has been put is left to be taken. While a worker is taking, the answer is
  /// no.
  ///
  /// The loads are in the order in which a taker moves what it takes: a taker says that it is
  /// taking before it empties newest_, so this sees one of the two. The loads are sequentially
  /// consistent, and pair with put_chain().
  [[nodiscard]] bool empty() const noexcept {
    const continuation* newest = newest_.load(std::memory_order_seq_cst);
    return (newest == nullptr || newest == closed()) &&
           oldest_.load(std::memory_order_seq_cst) == nullptr;
  }

  /// Takes the oldest continuation. Returns nullptr if there is none, or if another worker is
  /// taking one.
  continuation* take() noexcept {
    continuation* first = oldest_.load(std::memory_order_relaxed);
    if (first == nullptr && newest_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    // The compare-and-swap acquires from the store below, by which another taker has left the list.
    // It precedes the exchange that empties newest_, for empty().
    if (first == taking() ||
        !oldest_.compare_exchange_strong(first, taking(), std::memory_order_seq_cst,
                                         std::memory_order_relaxed))
      return nullptr;
    if (first == nullptr)
      first = reversed(newest_.exchange(nullptr, std::memory_order_seq_cst));  // pairs: put_chain()
    continuation* const rest = first != nullptr ? first->next : nullptr;
    oldest_.store(rest, std::memory_order_release);  // pairs with the compare-and-swap above
    return first;
  }

 private:
  /// The value of oldest_ while a worker is taking. Aligned objects lie elsewhere.
  static continuation* taking() noexcept { return reinterpret_cast<continuation*>(1); }

  /// The value of newest_ while nothing may be put.
  static continuation* closed() noexcept { return taking(); }

  /// Turns the list round: those that were put go from the newest to the oldest.
  static continuation* reversed(continuation* list) noexcept {
    continuation* turned = nullptr;
    while (list != nullptr) turned = std::exchange(list, std::exchange(list->next, turned));
    return turned;
  }

  std::atomic<continuation*> newest_{nullptr};
  std::atomic<continuation*> oldest_{nullptr};
};

}  // namespace nopal::detail
