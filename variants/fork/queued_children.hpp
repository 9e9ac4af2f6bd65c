// SPDX-License-Identifier: Apache-2.0
// The join of a fork_frame whose children are stolen. docs/fork.md, "The variant that steals
// children", has the protocol.
#pragma once

#include <cstdint>
#include <exception>
#include <utility>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/join/arrival.hpp"
#include "nopal/detail/join/thrown.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/runtime/default_runtime.hpp"
#include "nopal/detail/strand/strand.hpp"
#include "nopal/detail/strand/worker.hpp"

namespace nopal::detail {

class queued_children;

/// A forked call that waits on the deque, on the heap.
class queued_child : public continuation {
 public:
  queued_child(const queued_child&) = delete;
  queued_child& operator=(const queued_child&) = delete;

 protected:
  /// Calls, and frees the child, also where the call throws.
  using call_function = void (*)(queued_child&);

  queued_child(call_function call, queued_children& join) noexcept
      : continuation(run_stolen), call_(call), join_(&join), at_fork_(*this_worker()) {}
  ~queued_child() = default;

 private:
  friend class queued_children;

  static void run_stolen(continuation& c, worker& w) noexcept;
  static void strand(void* child);
  static void call_and_note(queued_child& c) noexcept;

  call_function call_;
  queued_children* join_;
  fork_state at_fork_;
  // Written by queue().
  const worker* forked_on_ = nullptr;
  std::uint64_t order_ = 0;         ///< In the serial order of the frame's children.
  queued_child* before_ = nullptr;  ///< On the deque. Gone, if that was stolen.

  // The newest child on the deque of the calling worker, whatever frame forked it; if none is
  // there, anything. Each is a function of its own, since a strand may have changed threads before.
  static inline thread_local queued_child* newest = nullptr;
  NOPAL_NOINLINE static void add_newest(queued_child& c) noexcept {
    c.before_ = std::exchange(newest, &c);
  }
  NOPAL_NOINLINE static queued_child& take_newest() noexcept {
    return *std::exchange(newest, newest->before_);
  }
};

/// Lies in the frame of the forking function: its children on the deque, and the word on which the
/// stolen ones arrive.
class queued_children {
 public:
  queued_children() noexcept { thrown_.begin(0); }
  queued_children(const queued_children&) = delete;
  queued_children& operator=(const queued_children&) = delete;

  /// Before a child is made: carries a thread that is no worker over to the default runtime, until
  /// end().
  void enter() {
    if (this_worker() != nullptr) [[likely]]
      return;
    enter_default_runtime();
    entered_ = true;
  }

  /// Queues a child. If the deque is full the child runs at once.
  void queue(queued_child& c) noexcept {
    worker& w = *this_worker();  // the copies of the arguments may have forked
    if (forked_ == 0) uncaught_at_fork_ = w.exceptions->uncaught;
    c.forked_on_ = &w;
    c.order_ = forked_++;
    queued_child::add_newest(c);
    ++queued_;
    if (w.push(&c) == deque::full) [[unlikely]]
      run_newest();
  }

  /// Returns when all children have ended.
  /// \throws the exception of the serially first child that threw.
  void join() {
    if (std::exception_ptr e = wait()) std::rethrow_exception(std::move(e));
  }

  /// The same for the end of the frame. If the function is left by an exception, those of the
  /// children are dropped.
  void end() {
    std::exception_ptr e = wait();
    if (e != nullptr && this_worker()->exceptions->uncaught > uncaught_at_fork_) e = nullptr;
    if (entered_) leave_default_runtime();
    if (e != nullptr) std::rethrow_exception(std::move(e));
  }

 private:
  friend class queued_child;

  std::exception_ptr wait() {
    if (forked_ == 0) return nullptr;
    enter();  // another frame of the function may have left the default runtime
    forked_ = 0;
    while (queued_ != 0) {
      if (!take_back_newest()) {
        wait_for_thieves();
        break;
      }
      run_newest();
    }
    return thrown_.take_first();
  }

  /// Runs the newest child, which is not on the deque any more, as a call. It finds the exceptions
  /// that the fork found. It may be that of another frame of the function.
  static void run_newest() noexcept {
    queued_child& c = queued_child::take_newest();
    --c.join_->queued_;
    exception_state here;
    assign(&here, this_worker()->exceptions);
    assign(this_worker()->exceptions, &c.at_fork_.exceptions);
    queued_child::call_and_note(c);
    assign(this_worker()->exceptions, &here);
  }

  /// The rest of the children were stolen.
  NOPAL_NOINLINE void wait_for_thieves() noexcept {
    NOPAL_ASSERT(this_worker()->deque.empty());  // thieves take the oldest first
    if (word_.load() == -queued_)
      word_.add(queued_);
    else
      suspend_strand(waiting_, {announce_join, this, &waiting_.saved});
    NOPAL_ASSERT(word_.load() == 0);
    queued_ = 0;
  }

  // Each stolen child arrives with -1, the forking function with the number of stolen children. The
  // last to arrive makes the word 0, and goes on with the function.

  static suspension* announce_join(void* self) noexcept {
    auto& j = *static_cast<queued_children*>(self);
    return j.word_.add(j.queued_) == 0 ? &j.waiting_ : nullptr;
  }
  static suspension* announce_child(void* self) noexcept {
    auto& j = *static_cast<queued_children*>(self);
    return j.word_.add(-1) == 0 ? &j.waiting_ : nullptr;
  }

  std::int64_t queued_ = 0;            ///< Children that this strand has not run itself.
  std::uint64_t forked_ = 0;           ///< Since the last join.
  unsigned int uncaught_at_fork_ = 0;  ///< Exceptions on their way at the first of these forks.
  bool entered_ = false;               ///< Into the default runtime.
  arrival_word word_{0};
  thrown_by_children thrown_;
  suspension waiting_;
};

inline void queued_child::call_and_note(queued_child& c) noexcept {
  queued_children& join = *c.join_;
  const std::uint64_t order = c.order_;
  try {
    c.call_(c);
  } catch (...) {
    join.thrown_.note(std::current_exception(), order);
  }
}

inline void queued_child::run_stolen(continuation& c, worker& w) noexcept {
  auto& self = static_cast<queued_child&>(c);
  start_strand(
      w,
      {strand, &self,
       self.at_fork_.stolen(self.forked_on_->strand_fp_control.load(std::memory_order_relaxed))});
}

inline void queued_child::strand(void* child) {
  auto& self = *static_cast<queued_child*>(child);
  queued_children* join = self.join_;
  call_and_note(self);
  end_strand({queued_children::announce_child, join, nullptr});
}

}  // namespace nopal::detail
