// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "nopal/detail/deque/circular_array.hpp"
#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/deque/events.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/fence.hpp"

namespace nopal::detail {

/// The THE protocol of Cilk-5 (Frigo, Leiserson and Randall, PLDI 1998, section 5; here without its
/// exception index E): Dijkstra's mutual exclusion between the owner, which lowers the tail T and
/// then reads the head H, and one thief, which raises H and then reads T. Each withdraws when the
/// two have crossed. Thieves exclude each other by a lock, and the owner takes it only to see who
/// won the last element, or to grow. This is the "locked deque" of Pfeiffer 2020, section 5.1.
///
/// When push and pop take the lock, they block on a thief that is inside steal(). Without it they
/// are wait-free. steal is wait-free: unlike Cilk-5's, a thief that finds another at work goes
/// elsewhere. The fence of pop is a full one, as in the paper.
///
/// Only the owner calls push(), push_again(), pop(), newest(), take_oldest() and empty(). Thieves
/// call steal(), and any thread looks_empty().
class deque_the {
 public:
  static constexpr std::int64_t full = -1;

  deque_the() : newest_(new circular_array(initial_capacity)) { adopt(0); }
  ~deque_the() { delete newest_; }
  deque_the(const deque_the&) = delete;
  deque_the& operator=(const deque_the&) = delete;

  /// Puts an element. Returns its position, to be handed to pop(), or `full` if no memory for more
  /// is to be had.
  NOPAL_ALWAYS_INLINE std::int64_t push(continuation* c) noexcept {
    const std::int64_t t = tail_.load(std::memory_order_relaxed);
    if (t >= limit_) [[unlikely]] {
      if (!make_room(t)) return full;
    }
    if (t < 0) __builtin_unreachable();  // so that the compiler sees that this is not `full`
    slots_[t & mask_].store(c, std::memory_order_relaxed);
    // Pairs with the acquire load of tail_ in steal(), this file.
    tail_.store(t + 1, std::memory_order_release);
    emit<deque_events::pushed>(unmarked(c));
    return t;
  }

  /// Does what push(c) does, for the `c` that pop() has just given back.
  NOPAL_ALWAYS_INLINE std::int64_t push_again(continuation* c, std::int64_t) noexcept {
    return push(c);
  }

  /// Removes the element that push() put at position t, the newest that is not popped. Returns true
  /// if it was still there. If it was stolen, returns false, and the deque is empty, because
  /// thieves take the oldest first.
  NOPAL_ALWAYS_INLINE bool pop(std::int64_t t) noexcept {
    emit<deque_events::popping>();
    tail_.store(t, relaxed_at_fence);
    emit<deque_events::popped_late>();
    full_fence();  // pairs with the fence in steal(), this file
    if (head_.load(relaxed_at_fence) <= t) [[likely]]
      return true;
    return pop_in_conflict(t);
  }

  /// Returns the position of the newest element or, if the deque is empty, one for which pop()
  /// returns false.
  NOPAL_ALWAYS_INLINE std::int64_t newest() const noexcept {
    return tail_.load(std::memory_order_relaxed) - 1;
  }

  /// Takes the oldest element. Returns nullptr if a thief has it or is at work. The owner calls
  /// this on its scheduler stack.
  continuation* take_oldest() noexcept { return steal(); }

  /// Does nothing: a thief of this deque does not ask for a promise.
  void promise_next() noexcept {}

  /// Takes the lock if the deque looks empty. A thief that is about to withdraw has head_ one too
  /// high, though for no longer than it holds the lock.
  [[nodiscard]] bool empty() noexcept {
    if (!looks_empty()) return false;
    const std::lock_guard guard(lock_);
    return looks_empty();
  }

  /// This is a hint, without fences: it may be wrong when a push or a steal is under way.
  [[nodiscard]] bool looks_empty() const noexcept {
    return head_.load(std::memory_order_relaxed) >= tail_.load(std::memory_order_relaxed);
  }

  /// Takes the oldest element. Returns nullptr if there is none, or another thief is at work, or
  /// the owner was faster.
  continuation* steal() noexcept {
    return steal([] { return true; });
  }

  /// Does what steal() does, but asks `still` before it takes the element, and takes nothing if
  /// that says false.
  template <class Still>
  continuation* steal(Still still) noexcept {
    const std::unique_lock guard(lock_, std::try_to_lock);
    if (!guard.owns_lock()) return nullptr;
    const std::int64_t h = head_.load(std::memory_order_relaxed);
    head_.store(h + 1, relaxed_at_fence);
    emit<deque_events::stealing>();
    full_fence();  // pairs with the fence in pop(), this file
    // Pairs with the release store in push(), this file.
    const bool there = h + 1 <= tail_.load(acquire_at_fence);
    if (there && still()) return (*newest_)[h].load(std::memory_order_relaxed);
    emit<deque_events::stealing>();
    head_.store(h, std::memory_order_relaxed);
    return nullptr;
  }

 private:
  static constexpr std::int64_t initial_capacity = 256;

  class spin_lock {
   public:
    // Pairs with unlock().
    bool try_lock() noexcept { return !taken_.exchange(true, std::memory_order_acquire); }
    void lock() noexcept {
      while (!try_lock()) {
        while (taken_.load(std::memory_order_relaxed))
          sched_yield();  // its holder may be waiting for this processor
      }
    }
    // Pairs with try_lock().
    void unlock() noexcept { taken_.store(false, std::memory_order_release); }

   private:
    std::atomic<bool> taken_{false};
  };

  /// Ends a pop of t when head_ was seen above it. The owner calls this, with tail_ == t. Under the
  /// lock no thief is half way, so head_ says what is true. If it still is above t the deque is
  /// empty. More than one above it happens to a strand that left this worker, its continuation
  /// stolen, and came back.
  NOPAL_NOINLINE bool pop_in_conflict(std::int64_t t) noexcept {
    const std::lock_guard guard(lock_);
    const std::int64_t h = head_.load(std::memory_order_relaxed);
    if (h <= t) return true;
    tail_.store(h, std::memory_order_relaxed);
    return false;
  }

  /// Makes room for a push. head_ may have moved since limit_ was set; if not, an array of twice
  /// the size is made. The lock is needed since a thief may have raised head_ only to lower it
  /// again.
  NOPAL_NOINLINE bool make_room(std::int64_t t) noexcept {
    const std::lock_guard guard(lock_);
    const std::int64_t h = head_.load(std::memory_order_relaxed);
    if (t - h >= newest_->capacity()) {
      circular_array* larger = newest_->grown(h, t);
      if (larger == nullptr) return false;
      newest_ = larger;
    }
    adopt(h);
    return true;
  }

  void adopt(std::int64_t h) noexcept {
    slots_ = newest_->slots();
    mask_ = newest_->capacity() - 1;
    limit_ = h + newest_->capacity();
  }

  // The owner's line. limit_ is what the owner last knew head_ to allow.
  std::atomic<std::int64_t> tail_{0};
  std::int64_t limit_ = 0;
  circular_array::slot* slots_ = nullptr;
  std::int64_t mask_ = 0;
  // The thieves' line; the owner reads head_ in pop. newest_ is written under the lock.
  alignas(cache_line) std::atomic<std::int64_t> head_{0};
  spin_lock lock_;
  circular_array* newest_;
};

}  // namespace nopal::detail
