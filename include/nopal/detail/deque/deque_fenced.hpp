// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "nopal/detail/deque/circular_array.hpp"
#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/deque/events.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/fence.hpp"

namespace nopal::detail {

/// Chase and Lev's deque (SPAA 2005) as Lê, Pop, Cohen and Zappa Nardelli wrote it in C11 and
/// proved it (PPoPP 2013): the same fences in the same places, the consume load of the array made
/// an acquire. It is deque_asymmetric with the owner paying for the fence, in every pop. So a thief
/// does not depend on the owner's next pop, which may be long in coming if the owner only pushes.
///
/// push is wait-free except for the allocation when it grows; pop and steal are wait-free: a steal
/// that loses its race gives up.
///
/// Only the owner calls push(), push_again(), pop(), newest(), take_newest(), take_oldest() and
/// empty(). Thieves call steal(), and any thread looks_empty() and looks_to_hold().
class deque_fenced {
 public:
  static constexpr std::int64_t full = -1;

  deque_fenced() : newest_(new circular_array(initial_capacity)) {}
  ~deque_fenced() { delete newest_.load(std::memory_order_relaxed); }
  deque_fenced(const deque_fenced&) = delete;
  deque_fenced& operator=(const deque_fenced&) = delete;

  /// Puts an element. Returns its position, to be handed to pop(), or `full` if there is no memory
  /// for more elements.
  NOPAL_ALWAYS_INLINE std::int64_t push(continuation* c) noexcept {
    const std::int64_t b = bottom_.load(std::memory_order_relaxed);
    // Pairs with the compare-and-swap in steal(), this file.
    const std::int64_t t = top_.load(std::memory_order_acquire);
    circular_array* r = newest_.load(std::memory_order_relaxed);
    if (b - t >= r->capacity()) [[unlikely]] {
      r = grow(*r, t, b);
      if (r == nullptr) return full;
    }
    if (b < 0) __builtin_unreachable();  // so that the compiler sees that this is not `full`
    (*r)[b].store(c, std::memory_order_relaxed);
#if NOPAL_TSAN
    // Pairs with the acquire load of bottom_ in steal(), this file.
    bottom_.store(b + 1, std::memory_order_release);
#else
    // Pairs with the acquire load of bottom_ in steal(), this file.
    std::atomic_thread_fence(std::memory_order_release);
    bottom_.store(b + 1, std::memory_order_relaxed);
#endif
    emit<deque_events::pushed>(unmarked(c));
    return b;
  }

  /// Does what push(c) does, for the `c` that pop() has just given back.
  NOPAL_ALWAYS_INLINE std::int64_t push_again(continuation* c, std::int64_t) noexcept {
    return push(c);
  }

  /// Removes the element that push() put at position b, the newest that is not popped. Returns true
  /// if it was still there. If it was stolen, returns false, and the deque is empty, because
  /// thieves take the oldest first.
  NOPAL_ALWAYS_INLINE bool pop(std::int64_t b) noexcept {
    emit<deque_events::popping>();
    bottom_.store(b, relaxed_at_fence);
    emit<deque_events::popped_late>();
    full_fence();  // pairs with the fence in steal(), this file
    const std::int64_t t = top_.load(relaxed_at_fence);
    if (t < b) [[likely]]
      return true;
    return pop_last(b, t);
  }

  /// Returns the position of the newest element or, if the deque is empty, one for which pop()
  /// returns false.
  NOPAL_ALWAYS_INLINE std::int64_t newest() const noexcept {
    return bottom_.load(std::memory_order_relaxed) - 1;
  }

  /// Takes the newest element. Returns nullptr if there is none or a thief was faster.
  continuation* take_newest() noexcept {
    const std::int64_t b = newest();
    if (top_.load(std::memory_order_relaxed) > b) return nullptr;
    continuation* c = (*newest_.load(std::memory_order_relaxed))[b].load(std::memory_order_relaxed);
    return pop(b) ? c : nullptr;
  }

  /// Takes the oldest element. Returns nullptr if a thief has it. The owner calls this on its
  /// scheduler stack.
  continuation* take_oldest() noexcept { return steal(); }

  /// Does nothing: a thief of this deque does not ask for a promise.
  void promise_next() noexcept {}

  [[nodiscard]] bool empty() const noexcept { return looks_empty(); }

  /// This is a hint, without fences: false may be wrong when a push is under way.
  [[nodiscard]] bool looks_empty() const noexcept { return looks_to_hold() <= 0; }

  /// This is the same hint for the number of elements, which may look less than 0.
  [[nodiscard]] std::int64_t looks_to_hold() const noexcept {
    const std::int64_t t = top_.load(std::memory_order_relaxed);
    return bottom_.load(std::memory_order_relaxed) - t;
  }

  /// Takes the oldest element. Returns nullptr if there is none, or if another thief or the owner
  /// was faster.
  continuation* steal() noexcept {
    return steal([] { return true; });
  }

  /// Does what steal() does, but asks `still` before it takes the element, and takes nothing if
  /// that says false.
  template <class Still>
  continuation* steal(Still still) noexcept {
    // Pairs with the compare-and-swap of the thief before, here.
    std::int64_t t = top_.load(std::memory_order_acquire);
    full_fence();  // pairs with the fence in pop(), this file
    // Pairs with the release in push(), this file.
    const std::int64_t b = bottom_.load(acquire_at_fence);
    if (t >= b) return nullptr;
    emit<deque_events::stealing>();
    // The load of the slot pairs with grow().
    continuation* c = (*newest_.load(std::memory_order_acquire))[t].load(std::memory_order_relaxed);
    emit<deque_events::stealing>();
    if (!still()) return nullptr;
    // Sequentially consistent, as in pop_last(): pairs with it and with the fences of pop() and
    // steal().
    if (!top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed))
      return nullptr;
    return c;
  }

 private:
  static constexpr std::int64_t initial_capacity = 256;

  /// Takes the last element, for which thieves race too, or finds that there is none. Either way
  /// the deque is empty afterwards. The owner calls this, with bottom_ == b and top_ seen at t >=
  /// b. t > b + 1 happens to a strand that left this worker, its continuation stolen, and came
  /// back.
  NOPAL_NOINLINE bool pop_last(std::int64_t b, std::int64_t t) noexcept {
    // Pairs with the compare-and-swap in steal(), this file.
    const bool won = t == b && top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                                            std::memory_order_relaxed);
    bottom_.store(won ? b + 1 : t, std::memory_order_relaxed);
    return won;
  }

  /// Replaces the array by a larger one. Returns that, or nullptr if there is no memory for it.
  NOPAL_NOINLINE circular_array* grow(circular_array& r, std::int64_t t, std::int64_t b) noexcept {
    circular_array* larger = r.grown(t, b);
    if (larger != nullptr)
      newest_.store(larger, std::memory_order_release);  // pairs with the acquire load in steal()
    return larger;
  }

  // The owner's line.
  std::atomic<std::int64_t> bottom_{0};
  std::atomic<circular_array*> newest_;
  // The thieves' line; the owner reads it in push and pop.
  alignas(cache_line) std::atomic<std::int64_t> top_{0};
};

}  // namespace nopal::detail
