// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "nopal/detail/scheduler/submission.hpp"

namespace nopal::detail {

/// A queue of submissions, of a runtime or of one worker: any thread puts, any worker takes.
/// Intrusive, unbounded, no allocation.
///
/// Lock-free and not wait-free: put() repeats when another put() or a take() came between. Order is
/// first in, first out but for submissions that come in while a take() is under way.
class inbox {
 public:
  /// Sequentially consistent, so that whoever then finds no searcher awake can rely on it that
  /// every worker that goes to sleep later has seen the submission (docs/idle.md). Pairs with
  /// empty().
  void put(submission* s) noexcept { put_chain(s, s); }

  [[nodiscard]] bool empty() const noexcept {
    return newest_.load(std::memory_order_seq_cst) == nullptr;
  }

  /// The oldest submission, or nullptr. For a moment all others are out of sight, and somebody may
  /// go to sleep for that; the caller is a searcher who has found work then, and idle::found_work()
  /// wakes somebody again.
  submission* take() noexcept {
    if (newest_.load(std::memory_order_relaxed) == nullptr) return nullptr;
    submission* newest =
        newest_.exchange(nullptr, std::memory_order_acquire);  // pairs with put_chain()
    if (newest == nullptr || newest->next == nullptr) return newest;
    submission* last = newest;
    while (last->next->next != nullptr) last = last->next;
    submission* oldest = last->next;
    put_chain(newest, last);
    return oldest;
  }

 private:
  void put_chain(submission* first, submission* last) noexcept {
    submission* old = newest_.load(std::memory_order_relaxed);
    do last->next = old;
    while (!newest_.compare_exchange_weak(old, first, std::memory_order_seq_cst,
                                          std::memory_order_relaxed));
  }

  std::atomic<submission*> newest_{nullptr};
};

}  // namespace nopal::detail
