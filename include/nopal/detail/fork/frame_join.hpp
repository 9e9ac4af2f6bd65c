// SPDX-License-Identifier: Apache-2.0
// fork_frame is made of this: the join of many children, and the stealing of its function in the
// middle. docs/join.md has the protocol, and docs/fork.md says what is asked of the compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/fork/fork_call.hpp"
#include "nopal/detail/join/split_counter.hpp"
#include "nopal/detail/join/thrown.hpp"
#include "nopal/detail/runtime/lend.hpp"
#include "nopal/detail/strand/strand.hpp"
#include "nopal/detail/strand/worker.hpp"

namespace nopal::detail {

/// The object lies in the frame of the forking function, and is the continuation of that function.
///
/// Its join is a split_counter.
class frame_join : private suspension, private continuation {
 public:
  NOPAL_ALWAYS_INLINE frame_join() noexcept : continuation(run_stolen) {
    thrown_.begin(0);
    asm volatile("" : : "r"(this) : "memory");  // all that follows sees what a child writes to it
    address_locals_from_frame_pointer();
  }
  frame_join(const frame_join&) = delete;
  frame_join& operator=(const frame_join&) = delete;

  /// Forks. The child gets the words, and this frame as of_child() knows it.
  NOPAL_ALWAYS_INLINE void fork(child_function child, word w0, word w1, word w2, word w3, word w4) {
    settle_stack_pointer();
    if (fork_call(child, w0, w1, address_now<suspension>(*this), w2, w3, w4) != 0) [[unlikely]]
      address_now(*this)->rethrow_held();
#if NOPAL_ASAN
    strand_continued();
#endif
  }

  /// Returns when all children have ended, maybe on another worker. Throws the exception of the
  /// serially first that threw. fork_frame::join() calls this.
  NOPAL_ALWAYS_INLINE void join() {
    // This asks what end() asks, so that the two are one question on the path without a steal.
    if (!counter_.untouched()) [[unlikely]] {
      if (counter_.stolen_from()) {
        if (this_worker() == nullptr) address_now(*this)->enter();
        settle_stack_pointer();
        join_call(leave_at_join, address_now<suspension>(*this));
        address_now(*this)->finish_join();
      }
    }
  }

  /// Does what join() does, and ends the use of the frame. The destructor of fork_frame calls this.
  /// If an exception is on its way already, it throws nothing.
  NOPAL_ALWAYS_INLINE void end() {
    if (!counter_.untouched()) [[unlikely]] {
      if (counter_.stolen_from()) {
        if (this_worker() == nullptr) address_now(*this)->enter();
        settle_stack_pointer();
        join_call(leave_at_join, address_now<suspension>(*this));
      }
      address_now(*this)->finish_frame();
    }
  }

  /// Throws the exception of hold_exception().
  [[noreturn]] void rethrow_held();

#ifdef NOPAL_CHECK
  /// Returns the number of steals from this frame since its last join, as the function itself
  /// counts them.
  [[nodiscard]] NOPAL_ALWAYS_INLINE std::uint64_t steals() const noexcept {
    return counter_.steals();
  }
#endif

  // What follows is for the child.

  static frame_join& of_child(suspension* frame) noexcept {
    return *static_cast<frame_join*>(frame);
  }

  /// Enters the default runtime from the child's thread, which is no worker, and calls run() with
  /// the words again. If entering throws, the forking function is to throw, as after
  /// hold_exception().
  static std::size_t enter_and_run(child_function run, word w0, word w1, suspension* frame, word w2,
                                   word w3, word w4, lend_to to = lend_to::guest) noexcept;

  /// Makes the forking function stealable. Returns false if it cannot be: the fork is a call then.
  NOPAL_ALWAYS_INLINE bool push(worker* w) noexcept {
    state.note_fork(*w);
    return w->push(this) >= 0;
  }

  /// Returns the child's place in the serial order of those that are stolen. Called before push().
  [[nodiscard]] std::uint64_t order() const noexcept { return counter_.state(); }

  /// Holds the current exception, which the forking function is to throw: its child has thrown and
  /// was not stolen. Called in a handler. The forking function itself may call it as well.
  void hold_exception() noexcept;

  /// Notes the current exception, which the join is to throw: the child has thrown and was stolen.
  /// Called in a handler, before arrive().
  void note_exception(std::uint64_t order) noexcept;

  /// Ends the strand of the child, which was stolen and has ended. The function that fork_call
  /// called calls this.
  [[noreturn]] void arrive(std::uint64_t order) noexcept;

 private:
  using counter = split_counter<1>;
  static constexpr std::uint64_t entered = 1;  ///< The flag of the counter.

  static void run_stolen(continuation& c, worker& w) noexcept;
  static void leave_at_join(suspension* self) noexcept;
  static suspension* announce_parent(void* self) noexcept;
  static suspension* announce_child(void* self) noexcept;
  static suspension* announce_at_fork(void* self) noexcept;
  suspension* last_has_arrived() noexcept;

  worker* enter(lend_to to = lend_to::guest);
  std::exception_ptr exception_of_children_before() noexcept;
  suspension*& waiting() noexcept;
  void finish_join();
  void finish_frame();
  std::exception_ptr first_exception() noexcept;

  counter counter_;
  thrown_by_children thrown_;  ///< Ordered by the frame's steals before the child's.
  /// The number of exceptions on their way at the fork. Set only if the function has come to its
  /// join.
  unsigned int uncaught_at_fork_;
  /// Whether the function waits at a fork, with an exception, for the children before. Set only
  /// after a steal.
  bool waits_at_fork_;
  // These say where the function goes on after a join; docs/fork.md. They are set only after a
  // steal, as is suspension::on, which is then the stack of the first victim.
  void* first_sp_;  ///< The function's stack pointer at the first steal, on that stack.
  /// The function's stack pointer at the steal that found it nearest to the frame. If a steal found
  /// it on the function's own stack, it is that steal.
  void* nearest_sp_;
  /// The function's own stack, if a later victim or the parent found itself on it; else nullptr.
  stack* own_stack_;
  /// An exception, only between hold and rethrow; and the strand that waits, while waits_at_fork_.
  alignas(std::exception_ptr) std::byte held_[sizeof(std::exception_ptr)];
};

}  // namespace nopal::detail
