// SPDX-License-Identifier: Apache-2.0
// This is the join of parallel_invoke of two closures. It joins two strands by one word.
// docs/join.md has the protocol and its argument.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/join/arrival.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/platform/invoke.hpp"
#include "nopal/detail/strand/current_scope.hpp"
#include "nopal/detail/strand/strand.hpp"
#include "nopal/detail/strand/worker.hpp"

namespace nopal::detail {

/// The join lies in the frame that forks. Its word, which is that of the continuation, says which
/// strand has arrived. If none has, it is the function that runs the closure on a thief. If the
/// thief has, it says whether the closure returned or threw. If the owner has, it points to what
/// the owner keeps while it waits. Each arrives by one exchange, and the one that finds that the
/// other has arrived goes on.
class two_way_join_base : public closure_continuation {
 public:
  /// Makes this stealable on `w`. Returns its position, for take_back(). If the deque is full this
  /// is not stealable, and the fork is a call. The owner calls this.
  NOPAL_ALWAYS_INLINE std::int64_t push(worker* w) noexcept {
    return note_if_full(w->push(marked_now(*this)));
  }

  /// Takes back this, which was pushed at `position`, if it was not stolen; it is not stealable any
  /// more then. Returns whether that is so. If not, was_not_pushed_or_wait() says what has
  /// happened. The owner calls this.
  NOPAL_ALWAYS_INLINE bool take_back(std::int64_t position) noexcept {
    return nopal::detail::take_back(position);
  }

  /// Does what push() does, once more, after take_back(position) has succeeded or
  /// was_not_pushed_or_wait() was true. In the second case the word no longer says what runs this,
  /// so the caller has said so anew.
  NOPAL_ALWAYS_INLINE std::int64_t push_again(std::int64_t position) noexcept {
    NOPAL_ASSERT(run != not_pushed);
    return note_if_full(this_worker()->push_again(marked_now(*this), position));
  }

  /// Says why take_back() has failed. Returns true if push() found the deque full: the closure is
  /// still to be run, and this can be pushed again. Else returns false when the thief has arrived,
  /// maybe on another worker, or rethrows the thief's exception. The owner calls this.
  bool was_not_pushed_or_wait();

  /// Returns when nobody else uses this. The owner calls this in place of take_back() if the
  /// closure is not wanted any more. Drops the thief's exception. Returns true if a thief's closure
  /// has returned.
  bool abandon() noexcept;

  /// Calls abandon(), and holds what the owner has thrown, in a handler of that. rethrow_held()
  /// throws it again when the handler has ended.
  void abandon_and_hold() noexcept;
  /// Holds the exception of the handler that calls this, for rethrow_held(). Nobody else uses this
  /// join then.
  void hold_current() noexcept;
  [[noreturn]] void rethrow_held();

 protected:
  /// Notes the exceptions of the strand of `w`. A thief calls start_with_exceptions().
  NOPAL_ALWAYS_INLINE two_way_join_base(run_function run_stolen, worker* w) noexcept
      : closure_continuation(run_stolen), at_fork_(*w) {}

  /// Notes the exceptions if there are some. `run` says whether it is so, since it is written
  /// anyway: run_stolen() calls start(), and the other function start_with_exceptions().
  NOPAL_ALWAYS_INLINE two_way_join_base(run_function run_stolen, run_function run_with_exceptions,
                                        worker* w) noexcept
      : closure_continuation(run_stolen) {
    if (is_empty(w->exceptions)) [[likely]]
      return;
    run_by(run_with_exceptions);
    at_fork_ = fork_state(*w);
  }

  /// The whole strand of a thief. If a stop has come to its scope, it does not begin the closure,
  /// unless that throws nothing.
  template <class G>
  [[noreturn]] void run_and_arrive(G& g) noexcept {
    std::exception_ptr e;
    try {
      if constexpr (!noexcept(g())) check_scope("nopal: a fork");
      g();
    } catch (...) {
      e = std::current_exception();
    }
    arrive(std::move(e));
  }

  // These start the strand of `thief`, which calls one of them on its scheduler stack. They return
  // when the strand has left.

  /// Starts it without exceptions: the owner had none.
  void start(worker& thief, void (*strand)(void*)) noexcept;
  /// Starts it with the exceptions that the owner has noted.
  void start_with_exceptions(worker& thief, void (*strand)(void*)) noexcept;

  // shared_join is made of these, since it has more to do between the steps.

  /// Returns the state that a thief's strand begins with. The first thief's control words are
  /// `fp_of_owner()`.
  [[nodiscard]] strand_state state_of_thief(const fp_control& fp) const noexcept {
    return at_fork_.stolen(fp);
  }
  /// Whether push() found the deque full. This can be pushed again then. The owner calls this.
  [[nodiscard]] bool was_not_pushed() noexcept {
    // A thief changes the word to `done` or `thrown` at most.
    return std::atomic_ref(run).load(std::memory_order_relaxed) == not_pushed;
  }
  /// Whether no thief runs the closure, and none can any more. The owner calls this.
  bool is_not_stolen_now() noexcept;
  /// Returns `done` or `thrown` when the thief has arrived. The owner calls this.
  std::int64_t wait_for_thief() noexcept;
  /// Announces the arrival of the thief, which has left its stack. Returns the owner's strand if
  /// that waits.
  static suspension* announce(two_way_join_base& join, std::int64_t outcome) noexcept;

  // The word has one of these values, which are no addresses. Otherwise it is a function, or the
  // owner has come and keeps that.
  static constexpr std::int64_t not_pushed = 3;
  static constexpr std::int64_t done = 1;
  static constexpr std::int64_t thrown = 2;

 private:
  struct owner_wait;

  static bool thief_has_come(std::int64_t word) noexcept { return word == done || word == thrown; }

  /// Ends the strand of the thief. This is the last thing that it does on its stack. `e` may be
  /// null.
  [[noreturn]] void arrive(std::exception_ptr&& e) noexcept;
  /// Notes in the word if a push has found the deque full. Returns the position.
  NOPAL_ALWAYS_INLINE std::int64_t note_if_full(std::int64_t position) noexcept {
    if (position < 0) [[unlikely]]
      run = not_pushed;  // nobody else knows this join
    return position;
  }
  std::exception_ptr take_exception() noexcept;
  static suspension* announce_owner(void* owner_wait) noexcept;

  [[no_unique_address]] arrival_of_two arrival_;
  fork_state at_fork_;
};

/// Whether a closure is a temporary and cheap to copy. If it is a function, G is a reference to it,
/// and a function has no size: hence decay_t.
template <class G>
inline constexpr bool cheap_to_copy =
    !std::is_lvalue_reference_v<G> && std::is_trivially_copyable_v<G> &&
    sizeof(std::decay_t<G>) <= 16 * sizeof(void*);

/// What a thief finds of a closure: a copy if it is cheap to copy, else a pointer to the closure,
/// which stays where it is.
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
      : two_way_join_base(run_stolen, run_with_exceptions, w), g_(g) {}

 private:
  static void run_stolen(continuation& c, worker& w) noexcept {
    static_cast<two_way_join&>(c).start(w, strand);
  }
  static void run_with_exceptions(continuation& c, worker& w) noexcept {
    static_cast<two_way_join&>(c).start_with_exceptions(w, strand);
  }

  static void strand(void* argument) {
    auto& self = *static_cast<two_way_join*>(argument);
    self.run_and_arrive(self.g_);
  }

  // Compilers fill a closure by 16-byte moves. A processor cannot forward a move that crosses a
  // cache line to the loads that follow.
  alignas(16) stealable_closure<G> g_;
};

/// The join of a closure that returns something. A thief leaves the result here before it arrives.
template <class G>
class returning_join final : public two_way_join_base {
 public:
  using result = std::tuple<std::invoke_result_t<std::remove_reference_t<G>&>>;

  NOPAL_ALWAYS_INLINE returning_join(std::remove_reference_t<G>& g, worker* w) noexcept
      : two_way_join_base(run_stolen, run_with_exceptions, w), g_(g) {}
  NOPAL_ALWAYS_INLINE ~returning_join() {}  // take_result() or abandon() has destroyed the result
  returning_join(const returning_join&) = delete;
  returning_join& operator=(const returning_join&) = delete;

  /// Runs the closure that a thief would have run. The owner calls this after take_back(). The
  /// compiler reads the closure from memory, so that nothing of it occupies a register that the
  /// call of the first closure has to preserve. If such a register held an argument of the forking
  /// function, g++ would save it at the beginning of that function, and so in each leaf of a
  /// recursion.
  NOPAL_ALWAYS_INLINE decltype(auto) call() { return g_(); }

  /// Returns the result. The owner calls this once, when the thief has arrived and has not thrown.
  result take_result() {
    const destroyed_at_end end{result_};
    return std::move(result_);
  }

  /// Does what the base's function does, and drops the thief's result as well.
  NOPAL_ALWAYS_INLINE void abandon_and_hold() noexcept {
    if (abandon()) result_.~result();
    hold_current();
  }

 private:
  struct destroyed_at_end {
    result& r;
    ~destroyed_at_end() { r.~result(); }
  };

  static void run_stolen(continuation& c, worker& w) noexcept {
    static_cast<returning_join&>(c).start(w, strand);
  }
  static void run_with_exceptions(continuation& c, worker& w) noexcept {
    static_cast<returning_join&>(c).start_with_exceptions(w, strand);
  }

  /// Runs the closure, and leaves its result here. This is the whole strand of a thief.
  static void strand(void* argument) {
    auto& self = *static_cast<returning_join*>(argument);
    auto call = [&self] {
      ::new (static_cast<void*>(detail::address_of(self.result_))) result(self.g_());
    };
    self.run_and_arrive(call);
  }

  // The alignment is the one of two_way_join, for the same reason.
  alignas(16) stealable_closure<G> g_;
  union {
    result result_;
  };
};

}  // namespace nopal::detail
