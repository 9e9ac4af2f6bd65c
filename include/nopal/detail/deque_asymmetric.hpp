// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/detail/config.hpp"
#include "nopal/detail/continuation.hpp"
#include "nopal/detail/fence.hpp"
#include "nopal/detail/hook.hpp"
#include "nopal/detail/ring.hpp"

namespace nopal::detail {

/// Chase and Lev's deque with the fence of the owner's pop moved to the thief: the owner executes a compiler barrier,
/// the thief membarrier(2). docs/deque.md has the argument, tests/models/deque_asymmetric.pml the model.
///
/// The one thing that must never happen is that owner and thief both take the element at index i. The owner takes it
/// without a compare-and-swap only after it wrote bottom = i and then read top < i. A thief claims i only after it read
/// top = i, then fenced, and then read bottom > i. Either the owner's write of bottom comes before the fence, and the
/// thief sees it and stays away; or it comes after, and then so does the owner's read of top, which sees i at least,
/// and the owner goes through the compare-and-swap like everybody else.
class deque_asymmetric {
 public:
  static constexpr std::int64_t full = -1;

  deque_asymmetric() : newest_(new ring(initial_capacity)) { adopt(newest_.load(std::memory_order_relaxed), 0); }
  ~deque_asymmetric() { delete newest_.load(std::memory_order_relaxed); }
  deque_asymmetric(const deque_asymmetric&) = delete;
  deque_asymmetric& operator=(const deque_asymmetric&) = delete;

  /// Owner. Returns the element's position, to be handed to pop(); `full` when memory for more is not to be had.
  NOPAL_ALWAYS_INLINE std::int64_t push(continuation* c) noexcept {
    const std::int64_t b = bottom_.load(std::memory_order_relaxed);
    if (b >= limit_) [[unlikely]] {
      if (!make_room(b)) return full;
    }
    slots_[b & mask_].store(c, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_release);  // pairs with the acquire load of bottom_ in steal()
    hook(step::pushed);
    return b;
  }

  /// Owner. True when the element that push() put at position b, the newest that is not popped, was still there and is
  /// now removed; false when it was stolen, and then the deque is empty, because thieves take the oldest first.
  ///
  /// The position comes from the caller and not from bottom_ because a chain of loads and stores of one word, each
  /// waiting for the one before, would bound the rate of forks.
  NOPAL_ALWAYS_INLINE bool pop(std::int64_t b) noexcept {
    hook(step::popping);
    bottom_.store(b, owner_order);
    hook(step::popped_late);
    owner_fence();
    const std::int64_t t = top_.load(owner_order);
    if (t < b) [[likely]] return true;
    return pop_last(b, t);
  }

  /// Owner, from its scheduler loop. As pop(), and says which element it was; nullptr: the deque is empty.
  continuation* take() noexcept {
    const std::int64_t b = bottom_.load(std::memory_order_relaxed) - 1;
    continuation* c = slots_[b & mask_].load(std::memory_order_relaxed);
    return pop(b) ? c : nullptr;
  }

  /// Anybody. A hint, without fences: false may be wrong when a push is under way.
  [[nodiscard]] bool looks_empty() const noexcept {
    return top_.load(std::memory_order_relaxed) >= bottom_.load(std::memory_order_relaxed);
  }

  /// Thief. The oldest element, or nullptr where there is none or another thief or the owner was faster.
  continuation* steal() noexcept {
    std::int64_t t = top_.load(std::memory_order_acquire);  // pairs with the compare-and-swap of the thief before
    if (t >= bottom_.load(std::memory_order_relaxed)) return nullptr;
    hook(step::stealing);
    thief_fence();
    const std::int64_t b = bottom_.load(thief_order);  // pairs with the release store in push()
    if (t >= b) return nullptr;
    // newest_ is read after bottom_, so it is the ring into which the element was put, or a later one; a smaller ring
    // still holds every element that was stealable while it was the newest.
    continuation* c = (*newest_.load(std::memory_order_acquire))[t].load(std::memory_order_relaxed);  // pairs: make_room()
    hook(step::stealing);
    if (!top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst, std::memory_order_relaxed)) return nullptr;
    return c;
  }

 private:
  static constexpr std::int64_t initial_capacity = 256;
#if NOPAL_TSAN
  // ThreadSanitizer does not understand fences, so here the orders are on the operations.
  static constexpr std::memory_order owner_order = std::memory_order_seq_cst;
  static constexpr std::memory_order thief_order = std::memory_order_seq_cst;
#else
  static constexpr std::memory_order owner_order = std::memory_order_relaxed;
  static constexpr std::memory_order thief_order = std::memory_order_acquire;
#endif

  /// Owner, with bottom_ == b and top_ seen at t >= b: the last element, raced for with thieves, or none. Either way the
  /// deque is empty afterwards. t > b + 1 happens to a strand that left this worker, its continuation stolen, and came back.
  NOPAL_NOINLINE bool pop_last(std::int64_t b, std::int64_t t) noexcept {
    const bool won = t == b && top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                                            std::memory_order_relaxed);
    bottom_.store(won ? b + 1 : t, std::memory_order_relaxed);
    return won;
  }

  /// Owner: top_ may have moved since limit_ was set; if not, a ring of twice the size.
  NOPAL_NOINLINE bool make_room(std::int64_t b) noexcept {
    const std::int64_t t = top_.load(std::memory_order_acquire);  // pairs with the compare-and-swap in steal()
    ring* r = newest_.load(std::memory_order_relaxed);
    if (b - t >= r->capacity()) {
      r = r->grown(t, b);
      if (r == nullptr) return false;
      newest_.store(r, std::memory_order_release);  // pairs with the acquire load in steal()
    }
    adopt(r, t);
    return true;
  }

  void adopt(ring* r, std::int64_t t) noexcept {
    slots_ = r->slots();
    mask_ = r->capacity() - 1;
    limit_ = t + r->capacity();
  }

  // The owner's line. limit_ is what the owner last knew top_ to allow, so that push need not read top_.
  std::atomic<std::int64_t> bottom_{0};
  std::int64_t limit_ = 0;
  ring::slot* slots_ = nullptr;
  std::int64_t mask_ = 0;
  // The thieves' line; the owner reads it in pop.
  alignas(cache_line) std::atomic<std::int64_t> top_{0};
  std::atomic<ring*> newest_;
};

}  // namespace nopal::detail
