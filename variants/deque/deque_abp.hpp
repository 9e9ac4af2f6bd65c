// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/deque/events.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/fence.hpp"

namespace nopal::detail {

/// The deque of Arora, Blumofe and Plaxton (SPAA 1998): a fixed array that is used from its start
/// again whenever the owner finds it empty, and a tag beside `top` that changes then, so that a
/// thief cannot take by an old index.
///
/// When the array has run out, push returns `full` and the fork becomes a call. That can come
/// early: a slot is not used again before the deque is next empty, so steals use up the array
/// (Schmaus 2015, section 4.2.1).
///
/// All operations are wait-free: a steal that loses its race gives up. The fence of pop is a full
/// one, as in the paper; that of deque_asymmetric would do here too, but this variant is to show
/// the classic.
///
/// Only the owner calls push(), push_again(), pop(), newest(), take_oldest() and empty(). Thieves
/// call steal(), and any thread looks_empty().
class deque_abp {
 public:
  static constexpr std::int64_t full = -1;
  static constexpr std::int64_t capacity = 8192;

  deque_abp() = default;
  deque_abp(const deque_abp&) = delete;
  deque_abp& operator=(const deque_abp&) = delete;

  /// Puts an element. Returns its position, to be handed to pop(), or `full` if the array has run
  /// out.
  NOPAL_ALWAYS_INLINE std::int64_t push(continuation* c) noexcept {
    std::int64_t b = bottom_.load(std::memory_order_relaxed);
    if (b == capacity) [[unlikely]] {
      if (!begin_again()) return full;
      b = 0;
    }
    if (b < 0) __builtin_unreachable();  // so that the compiler sees that this is not `full`
    slot(b).store(c, std::memory_order_relaxed);
    // Pairs with the acquire load of bottom_ in steal(), this file.
    bottom_.store(b + 1, std::memory_order_release);
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
    // After a reset b is an old position: the element was stolen, and the deque is empty, again or
    // still.
    if (b < 0 || bottom_.load(std::memory_order_relaxed) != b + 1) [[unlikely]]
      return false;
    bottom_.store(b, relaxed_at_fence);
    emit<deque_events::popped_late>();
    full_fence();  // pairs with the fence in steal(), this file
    // Pairs with the compare-and-swap in steal(), this file: that thief has read its slot, which
    // may now be used again.
    const std::uint64_t a = age_.load(acquire_at_fence);
    if (top(a) < b) [[likely]]
      return true;
    return pop_last(b, a);
  }

  /// Returns the position of the newest element or, if the deque is empty, one for which pop()
  /// returns false.
  NOPAL_ALWAYS_INLINE std::int64_t newest() const noexcept {
    return bottom_.load(std::memory_order_relaxed) - 1;
  }

  /// Takes the oldest element. Returns nullptr if a thief has it. The owner calls this on its
  /// scheduler stack.
  continuation* take_oldest() noexcept { return steal(); }

  /// Does nothing: a thief of this deque does not ask for a promise.
  void promise_next() noexcept {}

  [[nodiscard]] bool empty() const noexcept { return looks_empty(); }

  /// This is a hint, without fences: false may be wrong when a push is under way.
  [[nodiscard]] bool looks_empty() const noexcept {
    return top(age_.load(std::memory_order_relaxed)) >= bottom_.load(std::memory_order_relaxed);
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
    // Pairs with the compare-and-swap of the thief before, here, and with the reset in pop_last(),
    // this file: whoever sees the new tag sees bottom lowered, too.
    std::uint64_t a = age_.load(std::memory_order_acquire);
    full_fence();  // pairs with the fence in pop(), this file
    // Pairs with the release store in push(), this file.
    const std::int64_t b = bottom_.load(acquire_at_fence);
    if (top(a) >= b) return nullptr;
    emit<deque_events::stealing>();
    continuation* c = slot(top(a)).load(std::memory_order_relaxed);
    emit<deque_events::stealing>();
    if (!still()) return nullptr;
    // Sequentially consistent, as in pop_last(): pairs with it and with the fences of pop() and
    // steal().
    if (!age_.compare_exchange_strong(a, a + 1, std::memory_order_seq_cst,
                                      std::memory_order_relaxed))
      return nullptr;
    return c;
  }

 private:
  // The age is the tag, which never comes round, above the top.
  static constexpr unsigned top_bits = 16;
  static constexpr std::uint64_t one_tag = std::uint64_t{1} << top_bits;
  static_assert(capacity < static_cast<std::int64_t>(one_tag));

  static std::uint64_t reset(std::uint64_t age) noexcept {
    return (age & ~(one_tag - 1)) + one_tag;
  }
  static std::int64_t top(std::uint64_t age) noexcept {
    return static_cast<std::int64_t>(age & (one_tag - 1));
  }

  std::atomic<continuation*>& slot(std::int64_t i) noexcept {
    return slots_[static_cast<std::size_t>(i)];
  }

  /// Takes the last element, for which thieves race too, or finds that there is none. Either way
  /// the deque is empty afterwards, and both indices begin at 0 again. The owner calls this, with
  /// bottom_ == b and a top of at least b.
  NOPAL_NOINLINE bool pop_last(std::int64_t b, std::uint64_t a) noexcept {
    bottom_.store(0, std::memory_order_relaxed);
    // Pairs with the compare-and-swap and with the acquire load of age_ in steal(), this file.
    if (top(a) == b && age_.compare_exchange_strong(a, reset(a), std::memory_order_seq_cst,
                                                    std::memory_order_acquire))
      return true;
    // Pairs with the acquire load of age_ in steal(), this file.
    age_.store(reset(a), std::memory_order_release);
    return false;
  }

  /// Begins at 0 again if the deque is empty, as after take_oldest(), and returns whether it is.
  /// The owner calls this, with bottom_ at the end of the array.
  NOPAL_NOINLINE bool begin_again() noexcept {
    // Pairs with the compare-and-swap in steal(), this file.
    const std::uint64_t a = age_.load(std::memory_order_acquire);
    if (top(a) < capacity) return false;
    bottom_.store(0, std::memory_order_relaxed);
    // Pairs with the acquire load of age_ in steal(), this file.
    age_.store(reset(a), std::memory_order_release);
    return true;
  }

  // The owner's line.
  std::atomic<std::int64_t> bottom_{0};
  // The thieves' line; the owner reads it in pop.
  alignas(cache_line) std::atomic<std::uint64_t> age_{0};
  alignas(cache_line) std::array<std::atomic<continuation*>, capacity> slots_{};
};

}  // namespace nopal::detail
