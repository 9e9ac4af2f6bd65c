// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <utility>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/platform/assert.hpp"

namespace nopal::detail {

/// A queue of continuations, of a runtime or of one worker: any thread puts, any worker takes.
/// First in, first out. Intrusive, unbounded, no allocation.
///
/// What was put is a list from the newest to the oldest. A taker that finds nothing else takes it
/// all, reverses it once, and leaves the rest for the takers after it: so a take is O(1), if the
/// reversal is charged to the continuations that it turns. One worker takes at a time. A second one
/// that comes meanwhile is told that there is nothing, and goes on with its search.
///
/// put() is lock-free: it repeats only if another put(), or a taker that took the list, came
/// between. take() does not wait, but while the system has stopped a taker in the middle, others
/// get nothing.
class inbox {
 public:
  /// Sequentially consistent, so that whoever then finds no searcher awake can rely on it that
  /// every worker that goes to sleep later has seen the continuation (docs/scheduler.md). Pairs
  /// with empty().
  void put(continuation* c) noexcept { put_chain(c, c); }

  /// The same, unless the inbox is closed; returns whether it is open.
  bool put_if_open(continuation* c) noexcept {
    continuation* old = newest_.load(std::memory_order_relaxed);
    do {
      if (old == closed()) return false;
      c->next = old;
    } while (!newest_.compare_exchange_weak(old, c, std::memory_order_seq_cst,  // as in put_chain()
                                            std::memory_order_relaxed));
    return true;
  }

  /// The one that takes from this inbox, of which there is no other: what is in it goes to `other`,
  /// and nothing is put into it from here on. Lock-free.
  void close_into(inbox& other) noexcept {
    for (continuation* none = nullptr;; none = nullptr) {
      while (continuation* c = take()) other.put(c);
      if (newest_.compare_exchange_strong(none, closed(), std::memory_order_relaxed)) return;
    }
  }

  /// The same one: things are put into it from here on.
  void open() noexcept {
    if (newest_.load(std::memory_order_relaxed) == closed())
      newest_.store(nullptr, std::memory_order_relaxed);
  }

  /// The same for several, linked by `next` from the newest to the oldest.
  void put_chain(continuation* newest, continuation* oldest) noexcept {
    NOPAL_ASSERT(newest != nullptr && oldest != nullptr);
    continuation* old = newest_.load(std::memory_order_relaxed);
    do {
      oldest->next = old;
    } while (!newest_.compare_exchange_weak(old, newest, std::memory_order_seq_cst,
                                            std::memory_order_relaxed));
  }

  /// Whether nothing that has been put is left to be taken. While a worker is taking the answer is
  /// no.
  ///
  /// Reads in the order in which a taker moves what it takes: it says that it is taking before it
  /// empties newest_, so one of the two is seen. Sequentially consistent: pairs with put_chain().
  [[nodiscard]] bool empty() const noexcept {
    const continuation* newest = newest_.load(std::memory_order_seq_cst);
    return (newest == nullptr || newest == closed()) &&
           oldest_.load(std::memory_order_seq_cst) == nullptr;
  }

  /// The oldest continuation; nullptr if there is none, or if another worker is taking one.
  continuation* take() noexcept {
    continuation* first = oldest_.load(std::memory_order_relaxed);
    if (first == nullptr && newest_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    // Acquired from the store below, by which another taker has left the list; and before newest_
    // is emptied, for empty().
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
  /// In oldest_ while a worker is taking: aligned objects lie elsewhere.
  static continuation* taking() noexcept { return reinterpret_cast<continuation*>(1); }

  /// In newest_ while nothing may be put.
  static continuation* closed() noexcept { return taking(); }

  static continuation* reversed(continuation* list) noexcept {
    continuation* turned = nullptr;
    while (list != nullptr) turned = std::exchange(list, std::exchange(list->next, turned));
    return turned;
  }

  std::atomic<continuation*> newest_{nullptr};
  std::atomic<continuation*> oldest_{nullptr};
};

}  // namespace nopal::detail
