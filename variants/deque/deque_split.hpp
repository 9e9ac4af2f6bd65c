// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "nopal/detail/deque/circular_array.hpp"
#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/deque/events.hpp"
#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// A split deque (Dinan et al., SC 2009; van Dijk and van de Pol's Lace, 2014): elements in [split,
/// bottom) are the owner's own, those in [top, split) are public. In the private part push and pop
/// are a load, a store and a compare, with no fence on any machine; in the public part the owner
/// pops by compare-and-swap like a thief.
///
/// A thief that finds the public part empty asks for more: it lowers the limit against which push
/// checks its capacity anyway. At its next push the owner publishes the older half of what is
/// private, rounded up: the older elements are the larger pieces of work, and it comes back to them
/// last. Looking asks too, since only a thread without work looks. The request stands until a thief
/// has got something, since a thief that waits for a CPU may come much later.
///
/// The cost is that nobody can take from the private part. An owner in a long child, whose public
/// part is used up, gives nothing away until it pushes again, however many thieves wait; a child
/// that waits for the strand after its own fork waits for ever if that is private. So the runtime
/// is not greedy, and T_P <= T_1/P + O(T_inf) does not hold. A way in for thieves would need the
/// owner to fence, or membarrier(2), and that is deque_asymmetric. And while a request stands, a
/// fork that is alone on the deque, as in a loop that forks, costs a compare-and-swap and two
/// calls.
///
/// push is wait-free except for the allocation when it grows. pop is, too: for each
/// compare-and-swap of it that fails, an element was stolen. steal is wait-free: it waits and tries
/// a bounded number of times.
///
/// Only the owner calls push(), push_again(), pop(), newest(), take_oldest() and empty(). Thieves
/// call steal(), and any thread that has run out of work looks_empty().
class deque_split {
 public:
  static constexpr std::int64_t full = -1;

  deque_split() : newest_(new circular_array(initial_capacity)) {
    adopt(newest_.load(std::memory_order_relaxed));
  }
  ~deque_split() { delete newest_.load(std::memory_order_relaxed); }
  deque_split(const deque_split&) = delete;
  deque_split& operator=(const deque_split&) = delete;

  /// Puts an element. Returns its position, to be handed to pop(), or `full` if no memory for more
  /// is to be had.
  NOPAL_ALWAYS_INLINE std::int64_t push(continuation* c) noexcept {
    const std::int64_t b = bottom_.load(std::memory_order_relaxed);
    bool publishing = false;
    if (b >= limit_.load(std::memory_order_relaxed)) [[unlikely]] {
      if (!make_room(b)) return full;
      publishing = true;
    }
    if (b < 0) __builtin_unreachable();  // so that the compiler sees that this is not `full`
    slots_[b & mask_].store(c, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_relaxed);
    if (publishing) [[unlikely]]
      publish(b + 1);
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
    bottom_.store(b, std::memory_order_relaxed);
    emit<deque_events::popped_late>();
    if (b >= split_) [[likely]]
      return true;
    return pop_public(b);
  }

  /// Returns the position of the newest element or, if the deque is empty, one for which pop()
  /// returns false.
  NOPAL_ALWAYS_INLINE std::int64_t newest() const noexcept {
    return bottom_.load(std::memory_order_relaxed) - 1;
  }

  /// Takes the oldest element. Returns nullptr if a thief has it. The owner calls this on its
  /// scheduler stack.
  continuation* take_oldest() noexcept {
    publish(bottom_.load(std::memory_order_relaxed));
    return steal();
  }

  /// Does nothing: a thief of this deque does not ask for a promise.
  void promise_next() noexcept {}

  [[nodiscard]] bool empty() const noexcept { return looks_empty(); }

  /// This is a hint, without fences: false may be wrong when a push is under way.
  [[nodiscard]] bool looks_empty() const noexcept {
    const std::uint64_t w = public_.load(std::memory_order_relaxed);
    if (size(w) != 0) return false;
    if (limit_.load(std::memory_order_relaxed) != asked)
      limit_.store(asked, std::memory_order_relaxed);
    return top(w) >= bottom_.load(std::memory_order_relaxed);
  }

  /// Takes the oldest element. Returns nullptr if none is public or others were faster.
  continuation* steal() noexcept {
    return steal([] { return true; });
  }

  /// Does what steal() does, but asks `still` before it tries, and takes nothing if that says
  /// false.
  template <class Still>
  continuation* steal(Still still) noexcept {
    // The thief waits for the owner's answer, and the owner may pop what it has just published.
    constexpr int patience = 100;
    if (!still()) return nullptr;
    // Pairs with the release store in publish(), this file.
    std::uint64_t w = public_.load(std::memory_order_acquire);
    for (int i = 0; i < patience; ++i) {
      if (size(w) == 0) {
        if (looks_empty()) return nullptr;
        // Pairs with the release store in publish(), this file.
        w = public_.load(std::memory_order_acquire);
        continue;
      }
      emit<deque_events::stealing>();
      // newest_ is read after public_, so it is the array from which the element was published, or
      // a later one.
      continuation* c = (*newest_.load(std::memory_order_acquire))[top(w)].load(
          std::memory_order_relaxed);  // pairs: make_room()
      emit<deque_events::stealing>();
      // Release: the slot has been read; pairs with the load in make_room(). Acquire: pairs with
      // the store in publish().
      if (public_.compare_exchange_strong(w, w + one_top - 1, std::memory_order_acq_rel,
                                          std::memory_order_acquire))
        return c;
    }
    return nullptr;
  }

 private:
  static constexpr std::int64_t initial_capacity = 256;
  static constexpr std::int64_t asked = 0;  ///< A limit that no push passes.

  // The public part is one word: the number of its elements below, and top, which never comes
  // round, above. Thieves add one to top and take one off the size. The owner takes the newest off
  // the size, but if that is also the oldest it adds to top as a thief would. So while top stays,
  // the element there stays, and a thief's word that is out of date in this is refused. A word of
  // size 0 is changed by the owner only.
  static constexpr unsigned size_bits = 16;
  static constexpr std::uint64_t one_top = std::uint64_t{1} << size_bits;
  static constexpr std::int64_t largest_size = one_top - 1;

  static std::int64_t top(std::uint64_t w) noexcept {
    return static_cast<std::int64_t>(w >> size_bits);
  }
  static std::int64_t size(std::uint64_t w) noexcept {
    return static_cast<std::int64_t>(w & (one_top - 1));
  }
  static std::uint64_t word(std::int64_t top, std::int64_t size) noexcept {
    return (static_cast<std::uint64_t>(top) << size_bits) + static_cast<std::uint64_t>(size);
  }

  /// Makes the older half of what is private public, if nothing is public. The owner calls this.
  NOPAL_NOINLINE void publish(std::int64_t bottom) noexcept {
    if (size(public_.load(std::memory_order_relaxed)) != 0) return;
    const std::int64_t n = std::min((bottom - split_ + 1) / 2, largest_size);
    // Pairs with the acquire loads in steal(), this file.
    public_.store(word(split_, n), std::memory_order_release);
    split_ += n;
  }

  /// Takes the newest public element, or finds that all have been stolen. The owner calls this,
  /// with bottom_ == b < split_. When all have been stolen, top > b + 1 happens to a strand that
  /// left this worker, its continuation stolen, and came back.
  NOPAL_NOINLINE bool pop_public(std::int64_t b) noexcept {
    std::uint64_t w = public_.load(std::memory_order_relaxed);
    while (top(w) <= b) {
      const bool last = top(w) == b;
      // Thieves exclude the owner by this word's order of changes alone; nothing is handed over.
      if (!public_.compare_exchange_strong(w, last ? w + one_top - 1 : w - 1,
                                           std::memory_order_relaxed))
        continue;
      split_ = last ? b + 1 : b;
      bottom_.store(split_, std::memory_order_relaxed);
      // If it was the last, no thief has got what was published for one.
      if (last) limit_.store(asked, std::memory_order_relaxed);
      return true;
    }
    split_ = top(w);
    bottom_.store(split_, std::memory_order_relaxed);
    return false;
  }

  /// Restores the owner's limit, which is reached or was lowered, with an array of twice the size
  /// if the array is full.
  NOPAL_NOINLINE bool make_room(std::int64_t b) noexcept {
    // Pairs with the compare-and-swap in steal().
    const std::int64_t t = top(public_.load(std::memory_order_acquire));
    circular_array* r = newest_.load(std::memory_order_relaxed);
    if (b - t >= r->capacity()) {
      r = r->grown(t, b);
      if (r == nullptr) return false;
      // Pairs with the acquire load in steal(), this file.
      newest_.store(r, std::memory_order_release);
      adopt(r);
    }
    limit_.store(t + r->capacity(), std::memory_order_relaxed);
    return true;
  }

  void adopt(circular_array* r) noexcept {
    slots_ = r->slots();
    mask_ = r->capacity() - 1;
  }

  // The owner's line. limit_ is what the owner last knew top to allow, or what a thief has made of
  // it.
  std::atomic<std::int64_t> bottom_{0};
  mutable std::atomic<std::int64_t> limit_{asked};
  std::int64_t split_ = 0;  ///< top + size, which thieves do not change.
  circular_array::slot* slots_ = nullptr;
  std::int64_t mask_ = 0;
  // The thieves' line; the owner touches it when it publishes or pops what is public.
  alignas(cache_line) std::atomic<std::uint64_t> public_{0};
  std::atomic<circular_array*> newest_;
};

}  // namespace nopal::detail
