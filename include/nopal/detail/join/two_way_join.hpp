// SPDX-License-Identifier: Apache-2.0
// The join of parallel_invoke of two closures: two strands, one word. docs/join.md has the protocol
// and its argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/join/arrival.hpp"
#include "nopal/detail/strand/strand.hpp"
#include "nopal/detail/strand/worker.hpp"

namespace nopal::detail {

/// Lies in the frame that forks. Its word says who has arrived. If nobody has, it points to the
/// worker that forked. If the thief has, it says whether the closure returned or threw. If the
/// owner has, it points to the owner's suspension. Each arrives by one exchange, and whoever finds
/// that the other has arrived goes on.
class two_way_join_base : public continuation {
 public:
  /// Owner, on `w`: makes this stealable. Returns where, for take_back(). Where the deque is full
  /// this is not stealable, and the fork is a call.
  NOPAL_ALWAYS_INLINE std::int64_t push(worker* w) noexcept {
    return note_if_full(w->push(address_now<continuation>(*this)));
  }

  /// Owner: whether this, pushed at `position`, was not stolen, and is not stealable any more. If
  /// not, was_not_pushed_or_wait() has the answer.
  NOPAL_ALWAYS_INLINE bool take_back(std::int64_t position) noexcept {
    return nopal::detail::take_back(as_worker(word_.peek()), position);
  }

  /// push() once more, after take_back(position) has not failed or was_not_pushed_or_wait() was
  /// true.
  NOPAL_ALWAYS_INLINE std::int64_t push_again(std::int64_t position) noexcept {
    return note_if_full(
        as_worker(word_.peek())->push_again(address_now<continuation>(*this), position));
  }

  /// Owner, after take_back() has failed. True where push() found the deque full: the closure is
  /// still to be run, and this can be pushed again. Else returns when the thief has arrived, maybe
  /// on another worker, and rethrows the thief's exception.
  bool was_not_pushed_or_wait();

  /// Owner, in place of take_back(), where the closure is not wanted any more: returns when nobody
  /// else uses this. Drops the thief's exception. True where a thief's closure has returned.
  bool abandon() noexcept;

  /// abandon(), in a handler of what the owner has thrown, which rethrow_held() throws again when
  /// the handler has ended.
  void abandon_and_hold() noexcept;
  /// In a handler, when nobody else uses this: the exception is rethrow_held()'s.
  void hold_current() noexcept;
  [[noreturn]] void rethrow_held();

 protected:
  NOPAL_ALWAYS_INLINE two_way_join_base(void (*run_stolen)(continuation&, worker&) noexcept,
                                        worker* w) noexcept
      : continuation(run_stolen), word_(as_word(w)), at_fork_(*w) {}

  /// Thief: the whole strand.
  template <class G>
  [[noreturn]] void run_and_arrive(G& g) noexcept {
    std::exception_ptr e;
    try {
      g();
    } catch (...) {
      e = std::current_exception();
    }
    arrive(std::move(e));
  }

  /// Thief, on its scheduler stack. Returns when the strand has left.
  void start(worker& thief, void (*strand)(void*)) noexcept;

  // What shared_join is made of, which has more to do between these steps.

  /// What a thief's strand begins with. The first thief's control words are `fp_of_owner()`.
  [[nodiscard]] strand_state state_of_thief(const fp_control& fp) const noexcept {
    return at_fork_.stolen(fp);
  }
  [[nodiscard]] fp_control fp_of_owner() const noexcept;
  /// Owner: whether push() found the deque full. This can then be pushed again.
  bool was_not_pushed() noexcept;
  /// Owner: whether no thief runs the closure, and none can any more.
  bool is_not_stolen_now() noexcept;
  /// Owner: returns `done` or `thrown` when the thief has arrived.
  std::int64_t wait_for_thief() noexcept;
  /// Thief, when it has left its stack. Returns the owner's strand if that waits.
  static suspension* announce(two_way_join_base& join, std::int64_t outcome) noexcept;

  // The word. Otherwise it is a worker, or a suspension and `owner_has_come`.
  static constexpr std::int64_t not_pushed = 3;
  static constexpr std::int64_t done = 1;
  static constexpr std::int64_t thrown = 2;

 private:
  static constexpr std::int64_t owner_has_come = 4;

  struct owner_wait;

  static std::int64_t as_word(worker* w) noexcept {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(w));
  }
  static worker* as_worker(std::int64_t word) noexcept {
    return reinterpret_cast<worker*>(static_cast<std::uintptr_t>(word));
  }
  static std::int64_t as_word(suspension* s) noexcept;
  static suspension* as_suspension(std::int64_t word) noexcept;
  static bool thief_has_come(std::int64_t word) noexcept { return word == done || word == thrown; }

  /// The last thing that the thief does on its stack. `e` may be null.
  [[noreturn]] void arrive(std::exception_ptr&& e) noexcept;
  NOPAL_ALWAYS_INLINE std::int64_t note_if_full(std::int64_t position) noexcept {
    if (position == deque::full) [[unlikely]]
      word_.exchange(not_pushed);
    return position;
  }
  std::exception_ptr take_exception() noexcept;
  static suspension* announce_owner(void* owner_wait) noexcept;

  // Of a fork that nobody steals it keeps the worker, which would otherwise take a register that
  // every call below saves.
  arrival_word word_;
  fork_state at_fork_;
};

/// Whether a closure is a temporary and cheap to copy. A function, for which G is a reference, has
/// no size: decay_t.
template <class G>
inline constexpr bool cheap_to_copy =
    !std::is_lvalue_reference_v<G> && std::is_trivially_copyable_v<G> &&
    sizeof(std::decay_t<G>) <= 16 * sizeof(void*);

/// What a thief finds of a closure: a copy where it is cheap to copy; others stay where they are.
template <class G>
class stealable_closure {
 public:
  NOPAL_ALWAYS_INLINE explicit stealable_closure(std::remove_reference_t<G>& g) noexcept
      : g_(held(g)) {}

  NOPAL_ALWAYS_INLINE decltype(auto) operator()() {
    if constexpr (cheap_to_copy<G>)
      return g_();
    else
      return (*g_)();
  }

 private:
  NOPAL_ALWAYS_INLINE static decltype(auto) held(std::remove_reference_t<G>& g) noexcept {
    if constexpr (cheap_to_copy<G>)
      return (g);
    else
      return &g;
  }

  std::conditional_t<cheap_to_copy<G>, std::remove_reference_t<G>, std::remove_reference_t<G>*> g_;
};

template <class G>
class two_way_join final : public two_way_join_base {
 public:
  NOPAL_ALWAYS_INLINE two_way_join(std::remove_reference_t<G>& g, worker* w) noexcept
      : two_way_join_base(run_stolen, w), g_(g) {}

 private:
  static void run_stolen(continuation& c, worker& w) noexcept {
    static_cast<two_way_join&>(c).start(w, strand);
  }

  static void strand(void* argument) {
    auto& self = *static_cast<two_way_join*>(argument);
    self.run_and_arrive(self.g_);
  }

  // Compilers fill a closure by 16-byte moves; one that crosses a cache line cannot be forwarded to
  // the loads that follow.
  alignas(16) stealable_closure<G> g_;
};

/// The join of a closure that returns something. A thief leaves the result here before it arrives.
template <class G>
class returning_join final : public two_way_join_base {
 public:
  using result = std::tuple<std::invoke_result_t<std::remove_reference_t<G>&>>;

  NOPAL_ALWAYS_INLINE returning_join(std::remove_reference_t<G>& g, worker* w) noexcept
      : two_way_join_base(run_stolen, w), g_(g) {}
  NOPAL_ALWAYS_INLINE ~returning_join() {}  // take_result() or abandon() has destroyed the result
  returning_join(const returning_join&) = delete;
  returning_join& operator=(const returning_join&) = delete;

  /// Owner, after take_back(): runs the closure that a thief would have run. The compiler reads it
  /// from memory, so that nothing of it occupies a register that the call of the first closure has
  /// to preserve. If such a register held an argument of the forking function, g++ would save it at
  /// the beginning of that function, and so in each leaf of a recursion.
  NOPAL_ALWAYS_INLINE decltype(auto) call() { return g_(); }

  /// Owner, once, when the thief has arrived and has not thrown.
  result take_result() {
    const destroyed_at_end end{result_};
    return std::move(result_);
  }

  /// As the base's. Drops the thief's result as well.
  NOPAL_ALWAYS_INLINE void abandon_and_hold() noexcept {
    if (abandon()) std::destroy_at(std::addressof(result_));
    hold_current();
  }

 private:
  struct destroyed_at_end {
    result& r;
    ~destroyed_at_end() { std::destroy_at(std::addressof(r)); }
  };

  static void run_stolen(continuation& c, worker& w) noexcept {
    static_cast<returning_join&>(c).start(w, strand);
  }

  static void strand(void* argument) {
    auto& self = *static_cast<returning_join*>(argument);
    auto call = [&self] { std::construct_at(std::addressof(self.result_), self.g_()); };
    self.run_and_arrive(call);
  }

  alignas(16) stealable_closure<G> g_;  // as in two_way_join
  union {
    result result_;
  };
};

}  // namespace nopal::detail
