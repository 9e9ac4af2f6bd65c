// SPDX-License-Identifier: Apache-2.0
// What fork_frame is made of: the join of many children, and the stealing of its function in the middle. docs/join.md has
// the protocol, docs/fork_frame.md what is asked of the compiler.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "nopal/detail/arrival.hpp"
#include "nopal/detail/continuation.hpp"
#include "nopal/detail/fork_call.hpp"
#include "nopal/detail/strand.hpp"
#include "nopal/detail/worker.hpp"

namespace nopal::detail {

/// An exception that a child threw whose continuation was stolen.
struct thrown_by_child {
  std::exception_ptr exception;
  std::uint64_t order;  ///< Steals of the frame before this child's: ascending in the serial order of the children.
  thrown_by_child* next;
};

/// Lies in the frame of the forking function, and is the continuation of that function.
///
/// The split counter of Pfeiffer 2020, section 4.6.2, shifted to begin at 0: children whose continuation was stolen count
/// the word down, so that it is negative until the join; the one worker that runs the function counts steals without
/// synchronization; at the join it adds them. Who makes the word 0 is the last, and goes on with the function.
class frame_join : public continuation {
 public:
  NOPAL_ALWAYS_INLINE frame_join() noexcept : continuation{run_stolen}, word_(0) {
    // Makes the compiler address this function's locals from the frame pointer: a thief has another stack pointer.
    asm volatile("" : : "r"(__builtin_frame_address(0)));
  }
  frame_join(const frame_join&) = delete;
  frame_join& operator=(const frame_join&) = delete;

  NOPAL_ALWAYS_INLINE worker* enter() {
    worker* w = this_worker();
    if (w == nullptr) [[unlikely]] {
      enter_default_runtime();
      state_ |= entered;
      w = this_worker();
    }
    return w;
  }

  /// Forks: child(argument) pushes this frame, and moves from *argument before it does.
  NOPAL_ALWAYS_INLINE void fork(std::size_t (*child)(void*), void* argument) {
    self_.exceptions = *enter()->exceptions;
    if (fork_call(&self_.saved, child, argument) != 0) [[unlikely]] rethrow_held();
  }

  NOPAL_ALWAYS_INLINE void join() {
    if (state_ >= one_steal) [[unlikely]] {
      join_call(&self_.saved, to_home_, leave_at_join, this);
      finish_join();
    }
  }

  NOPAL_ALWAYS_INLINE void end() {
    if (state_ != 0) [[unlikely]] {
      if (state_ >= one_steal) join_call(&self_.saved, to_home_, leave_at_join, this);
      finish_frame();
    }
  }

  /// Child: its place in the serial order among those that are stolen.
  std::uint64_t order() const noexcept { return state_; }

  /// Child that was not stolen and has thrown: the forking function is to throw.
  void hold_exception() noexcept;

  /// Child that was stolen, as the last thing it does on its stack. `e` may be null.
  [[noreturn]] void arrive(std::exception_ptr&& e, std::uint64_t order, void* frame_address) noexcept;

 private:
  static constexpr std::uint64_t entered = 1;
  static constexpr std::uint64_t one_steal = 2;

  static void run_stolen(continuation& c, worker& w) noexcept;
  static void leave_at_join(void* self) noexcept;
  static suspension* announce_parent(void* self) noexcept;
  static suspension* announce_child(void* self) noexcept;

  void note_exception(std::exception_ptr&& e, std::uint64_t order) noexcept;
  [[noreturn]] void rethrow_held();
  void finish_join();
  void finish_frame();
  std::exception_ptr first_exception() noexcept;

  arrival_word word_;
  std::uint64_t state_ = 0;                         ///< Steals since the last join, times two, and `entered`.
  std::atomic<thrown_by_child*> thrown_ = nullptr;  ///< Most recent first; complete when the last child has arrived.
  std::atomic<bool> out_of_memory_ = false;         ///< An exception of a child could not be kept.
  suspension self_;
  unsigned int uncaught_at_fork_;  ///< Exceptions on their way then. Only where the function has come to its join.
  /// The stack pointer that the function would have on its own stack, less that which it has. Only where stolen.
  std::ptrdiff_t to_home_;
  alignas(std::exception_ptr) std::byte held_[sizeof(std::exception_ptr)];  ///< One only between hold and rethrow.
};

}  // namespace nopal::detail
