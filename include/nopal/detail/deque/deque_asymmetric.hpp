// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>

#include "nopal/detail/deque/circular_array.hpp"
#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/deque/events.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/fence.hpp"
#include "nopal/detail/platform/lost_registers.hpp"

namespace nopal::detail {
class deque_asymmetric;
}
/// nopal_push_aside, in src/deque/push_aside.cpp, calls this.
extern "C" std::int64_t nopal_push_slowly(nopal::detail::deque_asymmetric* d,
                                          nopal::detail::continuation* c) noexcept;

namespace nopal::detail {

/// Chase and Lev's deque (SPAA 2005) with the fence of the owner's pop moved to the thief: the
/// owner executes a compiler barrier, the thief membarrier(2), unless the owner answers sooner.
/// docs/deque.md has the argument, tests/models/deque_asymmetric.pml the model.
///
/// The one thing that must never happen is that owner and thief both take the element at index i.
/// The owner takes it without a compare-and-swap only after it wrote bottom = i and then read floor
/// < i or top < i. A thief takes i only after it read top = i, raised floor, then fenced, and then
/// read bottom > i. Either the owner's write of bottom comes before the fence: then the thief sees
/// it, and stays away. Or it comes after the fence, and so do the owner's reads. These see i at
/// least, and the owner goes through the compare-and-swap like everybody else. Instead of the fence
/// the thief may see that the owner has noticed. Then what the owner wrote to bottom before is
/// visible, and what it pops afterwards goes the slow way. So an owner that nobody tries to steal
/// from executes no locked instruction, even if it pops its only element, as a function that forks
/// in a loop does each time.
///
/// The owner's operations are wait-free. The thief's are lock-free: whenever one repeats a step or
/// fails, somebody else succeeded.
///
/// Only the owner calls push(), push_again(), pop(), newest(), set_scope(), scope(), take_oldest(),
/// promise_next() and empty(). Thieves call steal(), and any thread looks_empty().
class deque_asymmetric {
 public:
  /// What push() returns if the deque is full is this, plus the position at which it did not push.
  static constexpr std::int64_t full = std::numeric_limits<std::int64_t>::min();

  deque_asymmetric() {
    if (!asymmetric_fences) floor_.store(never_less, std::memory_order_relaxed);
    adopt(new circular_array(initial_capacity), 0);
  }
  ~deque_asymmetric() { delete newest_.load(std::memory_order_relaxed); }
  deque_asymmetric(const deque_asymmetric&) = delete;
  deque_asymmetric& operator=(const deque_asymmetric&) = delete;

  /// Puts an element. Returns its position, to be handed to pop(). Returns a negative number if
  /// there is no memory for more elements: pop() returns false for that, as if it were stolen.
  NOPAL_ALWAYS_INLINE std::int64_t push(continuation* c) noexcept {
    const std::int64_t b = bottom_.load(std::memory_order_relaxed);
    if (b >= limit_) [[unlikely]]
      return push_aside(c);
    if (b < 0) __builtin_unreachable();  // so that the compiler sees that this is not full
    put(b, c);
    return b;
  }

  /// Does what push(c) does, for the `c` that pop(b) has just given back. `c` is still in its slot,
  /// unless that pop took position b as a thief does.
  NOPAL_ALWAYS_INLINE std::int64_t push_again(continuation* c, std::int64_t b) noexcept {
    if (bottom_.load(std::memory_order_relaxed) != b) [[unlikely]]
      return push(c);
    NOPAL_ASSERT(slots_[b & mask_].load(std::memory_order_relaxed) == c);
    NOPAL_ASSERT(is_noted(b));                        // as when it was pushed there
    bottom_.store(b + 1, std::memory_order_release);  // pairs with the load of bottom_ in steal()
    emit<deque_events::pushed>(unmarked(c));
    return b;
  }

  /// Removes the element that push() put at position b, the newest that is not popped. Returns true
  /// if it was still there. If it was stolen, returns false, and the deque is empty, because
  /// thieves take the oldest first.
  ///
  /// The position comes from the caller and not from bottom_ because a chain of loads and stores of
  /// one word, each waiting for the one before, would bound the rate of forks.
  NOPAL_ALWAYS_INLINE bool pop(std::int64_t b) noexcept {
    emit<deque_events::popping>();
    // It is the newest, or was stolen with all that was older, or was never pushed.
    NOPAL_ASSERT(b == newest() || b < 0 || (empty() && b < top_.load(std::memory_order_relaxed)));
    bottom_.store(b, relaxed_at_fence);
    emit<deque_events::popped_late>();
    // Pairs with thief_fence() in order_with_owner().
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (floor_.load(relaxed_at_fence) < b) [[likely]]
      return true;
    return keeping_registers([this, b] { return pop_slowly(b); });
  }

  /// Returns the position of the newest element or, if the deque is empty, one for which pop()
  /// returns false.
  NOPAL_ALWAYS_INLINE std::int64_t newest() const noexcept {
    return bottom_.load(std::memory_order_relaxed) - 1;
  }

  /// Returns a position above all that has been pushed and not popped. The owner calls this.
  [[nodiscard]] std::int64_t end() const noexcept {
    return bottom_.load(std::memory_order_relaxed);
  }

  /// Lets the positions below `p` be such as have been stolen from, and pushes begin at `p` or
  /// above. pop() then returns false for them. The owner calls this when the deque is empty, before
  /// it goes on with a strand that has pushed below `p` on other workers.
  void begin_above(std::int64_t p) noexcept {
    if (p > bottom_.load(std::memory_order_relaxed)) [[unlikely]]
      raise(p);
  }

  /// Says in which scope is what the owner pushes from here on; nullptr: in none. What it has
  /// pushed keeps its scope. The next push notes this, so that a strand that makes none costs
  /// nothing more.
  void set_scope(stop_scope* s) noexcept {
    if (s == scope_) [[likely]]
      return;
    scope_ = s;
    limit_ = bottom_.load(std::memory_order_relaxed);
  }
  /// Returns what set_scope() has set.
  [[nodiscard]] stop_scope* scope() const noexcept { return scope_; }

  /// Takes the oldest element. Returns nullptr if a thief has it. The owner calls this on its
  /// scheduler stack.
  continuation* take_oldest() noexcept {
    stop_scope* of = nullptr;
    return take_oldest(of);
  }
  /// Does the same, and gives the scope in which the element was pushed.
  continuation* take_oldest(stop_scope*& of) noexcept {
    // Pairs with the compare-and-swap of the thief before.
    const std::int64_t t = top_.load(std::memory_order_acquire);
    announce(t);  // a pop of what is taken here must not be fast
    return t < bottom_.load(std::memory_order_relaxed) ? take_at(t, of) : nullptr;
  }

  /// Promises to take the next element by compare-and-swap, so that a thief that wants it need not
  /// ask. The owner calls this when the deque is empty.
  void promise_next() noexcept;

  [[nodiscard]] bool empty() const noexcept { return looks_empty(); }

  /// This is a hint, without fences: it may be out of date.
  [[nodiscard]] bool looks_empty() const noexcept {
    return top_.load(std::memory_order_relaxed) >= bottom_.load(std::memory_order_relaxed);
  }

  /// Takes the oldest element. Returns nullptr if there is none, or if another thief or the owner
  /// was faster.
  continuation* steal() noexcept {
    return steal([] { return true; });
  }

  /// Does what steal() does, but asks `still` before it takes the element, and takes nothing if
  /// that says false: ordering with the owner takes a while.
  template <class Still>
  continuation* steal(Still still) noexcept {
    stop_scope* of = nullptr;
    return steal(still, of);
  }
  /// Does the same, and gives the scope in which the element was pushed.
  template <class Still>
  continuation* steal(Still still, stop_scope*& of) noexcept {
    // Pairs with the compare-and-swap of the thief before.
    const std::int64_t t = top_.load(std::memory_order_acquire);
    if (t >= bottom_.load(std::memory_order_relaxed)) return nullptr;
    emit<deque_events::stealing>();
    const std::int64_t i = order_with_owner(t);
    const std::int64_t b = bottom_.load(acquire_at_fence);  // pairs with the release store in put()
    return i < b && still() ? take_at(i, of) : nullptr;
  }

 private:
  /// Puts `c` at position `b`, the bottom. There is room for it.
  NOPAL_ALWAYS_INLINE void put(std::int64_t b, continuation* c) noexcept {
    NOPAL_ASSERT(b >= 0 && b < asking);                               // see announce()
    NOPAL_ASSERT(top_.load(std::memory_order_relaxed) <= b);          // or it would be lost
    NOPAL_ASSERT(b - top_.load(std::memory_order_relaxed) <= mask_);  // the slot is free
    NOPAL_ASSERT(is_noted(b));                                        // N1 in docs/stop.md
    slots_[b & mask_].store(c, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_release);  // pairs with the load of bottom_ in steal()
    emit<deque_events::pushed>(unmarked(c));
  }

  /// Returns the position that the calling thief, which wants t, may take if there is something: t,
  /// or the next one if the owner has taken t when it answered. The owner takes that position by
  /// compare-and-swap only from here on, and what it did to bottom_ before is seen. If there is
  /// nothing any more, the position may be any that nothing is at.
  std::int64_t order_with_owner(std::int64_t t) noexcept;

  /// Returns the position that the owner, asked for t by the calling thief, has promised in less
  /// time than a fence takes. Returns a negative number if it has not.
  std::int64_t promised_soon(std::int64_t t) noexcept;

  /// Makes the owner's next pop, of whatever, look at what is wanted. Never lowers wanted_: that
  /// would hide a thief that wants a later element.
  void announce(std::int64_t t) noexcept;

  /// Returns the position above which no thief wants anything, and answers thieves that ask. The
  /// owner calls this in pop.
  std::int64_t wanted_by_thieves() noexcept;

  /// Moves the empty deque up to `p`, as if the owner had pushed and taken the oldest so often.
  void raise(std::int64_t p) noexcept;

  /// Promises the next position, after a pop has emptied the deque by compare-and-swap, if the pop
  /// like it before was long ago.
  void promise_next_if_long() noexcept;

  /// Takes the element at t, or returns nullptr if somebody else did. Precondition: the caller saw
  /// an element at t, and its load is ordered after the owner's store.
  continuation* take_at(std::int64_t t, stop_scope*& of) noexcept {
    // newest_ is read after bottom_, so it is the array into which the element was put, or a later
    // one; a smaller array still holds every element that was stealable while it was the newest.
    // The load of the slot pairs with adopt().
    const circular_array& all = *newest_.load(std::memory_order_acquire);
    continuation* c = all[t].load(std::memory_order_relaxed);
    // The scope was noted before the element was pushed, and is not changed while it is there.
    stop_scope* const scope = all.scope_of(t);
    emit<deque_events::stealing>();
    // Otherwise the owner might take t by a fast pop.
    NOPAL_ASSERT(promised_.load(std::memory_order_relaxed) >= t ||
                 wanted_.load(std::memory_order_relaxed) >= t);
    const bool won = top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                                  std::memory_order_relaxed);
    NOPAL_ASSERT(!won || c != nullptr);  // what the owner put there is seen
    if (!won) return nullptr;
    of = scope;
    return c;
  }

  /// Ends a pop of b when thieves may want what is there, or have it. The owner calls this, with
  /// bottom_ == b. top_ > b + 1 happens to a strand that left its worker, its continuation stolen.
  NOPAL_NOINLINE bool pop_slowly(std::int64_t b) noexcept {
    NOPAL_ASSERT(bottom_.load(std::memory_order_relaxed) == b);
    if (b < none) [[unlikely]]  // newest() of a new deque is -1
      return pop_unpushed(b - full);
    if (wanted_by_thieves() < b) return true;
    std::int64_t t = top_.load(relaxed_at_fence);
    if (t < b) return true;
    const bool won = t == b && top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst,
                                                            std::memory_order_relaxed);
    bottom_.store(won ? b + 1 : t, std::memory_order_relaxed);
    NOPAL_ASSERT(empty());
    if (won) promise_next_if_long();
    return won;
  }

  /// Ends a pop of what was to be pushed at `b` when the deque was full. If the strand is still on
  /// its worker, the deque is as it was then: all that was pushed later has been popped or stolen.
  /// On another worker, and after a steal, the deque is empty, and top_ is above.
  bool pop_unpushed(std::int64_t b) noexcept {
    const std::int64_t t = top_.load(std::memory_order_relaxed);
    // The release pairs with the load of bottom_ in steal(): what is still there was pushed before.
    bottom_.store(b > t ? b : t, std::memory_order_release);
    return false;
  }

  /// Calls push_slowly() in a way that preserves the general registers in which arguments are
  /// passed. A function that forks has its arguments there. If they had to survive an ordinary
  /// call, g++ would move them to registers that calls preserve, at the function's beginning, and
  /// save those in each leaf of a recursion.
  NOPAL_ALWAYS_INLINE std::int64_t push_aside(continuation* c) noexcept {
#if defined(__x86_64__) && !defined(__clang__) && !defined(__APX_F__)
    std::int64_t position;
    // A call instruction would write to the caller's red zone, and so would the dynamic linker when
    // it resolves a name at its first use. So this jumps to an address that is resolved at start.
    asm volatile(
        "leaq 1f(%%rip), %%r11\n\t"
        "jmp *nopal_push_aside@GOTPCREL(%%rip)\n"
        "1:"
        : "=a"(position)
        : "D"(this), "S"(c)
        : NOPAL_LOST_REGISTERS);
    return position;
#else
    return keeping_registers([this, c] { return push_slowly(c); });
#endif
  }

  friend std::int64_t(::nopal_push_slowly)(nopal::detail::deque_asymmetric* d,
                                           nopal::detail::continuation* c) noexcept;

  /// Pushes at the limit. top_ may have moved since limit_ was set; if not, an array of twice the
  /// size is made.
  NOPAL_NOINLINE std::int64_t push_slowly(continuation* c) noexcept {
    const std::int64_t b = bottom_.load(std::memory_order_relaxed);
    // Pairs with the compare-and-swap in take_at().
    const std::int64_t t = top_.load(std::memory_order_acquire);
    circular_array* r = newest_.load(std::memory_order_relaxed);
    if (b - t >= r->capacity()) r = r->grown(t, b);
    if (r == nullptr) return full + b;
    adopt(r, t);
    if ((scope_ != nullptr || r->has_scopes()) && !note_scopes(b)) return full + b;
    put(b, c);
    return b;
  }

  /// Notes the scope of the owner's strand for the positions from `b`, the bottom, up to the limit,
  /// which it lowers to a few more than b. So between b and the limit a push need not note it. If
  /// there is no memory for scopes, the limit is b, and this returns false.
  bool note_scopes(std::int64_t b) noexcept;

  /// Whether the scope of what is pushed at `b` is noted.
  [[nodiscard]] bool is_noted(std::int64_t b) const noexcept {
    return newest_.load(std::memory_order_relaxed)->scope_of(b) == scope_;
  }

  /// Makes `r` the array, which has all that is in the deque from `top` on.
  void adopt(circular_array* r, std::int64_t top) noexcept {
    NOPAL_ASSERT(top <= top_.load(std::memory_order_relaxed));  // limit_ is not too high
    slots_ = r->slots();
    mask_ = r->capacity() - 1;
    limit_ = top + r->capacity();
    newest_.store(r, std::memory_order_release);  // pairs with the acquire load in steal()
  }

  static constexpr std::int64_t none = -1;
  static constexpr std::int64_t initial_capacity = 256;
  static constexpr std::int64_t asking = std::int64_t{1} << 62;  // no position is so high
  static constexpr std::int64_t never_less = asking - 1;

  // The owner's line. limit_ is what the owner last knew top_ to allow, so that push need not read
  // top_; or less, since up to there scope_ is noted.
  std::atomic<std::int64_t> bottom_{0};
  std::int64_t limit_ = 0;
  circular_array::slot* slots_ = nullptr;
  std::int64_t mask_ = 0;
  stop_scope* scope_ = nullptr;     // of the strand that the owner runs
  std::uint64_t last_promise_ = 0;  // the time of the last pop that could have promised the next
  // The thieves' line, of which the owner reads floor_ in pop.
  alignas(cache_line) std::atomic<std::int64_t> top_{0};
  std::atomic<std::int64_t> wanted_{-1};  // the newest position that a thief has tried to take
  // No thief wants what is above; `asking` or more: look at wanted_.
  std::atomic<std::int64_t> floor_{-1};
  // The newest position that the owner has promised to take by compare-and-swap.
  std::atomic<std::int64_t> promised_{-1};
  // The number of steals that are not to wait for a promise, since one waited in vain.
  std::atomic<int> unasked_{0};
  std::atomic<circular_array*> newest_;
};

}  // namespace nopal::detail
