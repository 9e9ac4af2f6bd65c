// SPDX-License-Identifier: Apache-2.0
// This is the join of a fork_frame whose children are stolen. docs/fork.md, "The variant that
// steals children", has the protocol.
#pragma once

#include <cstdint>
#include <exception>
#include <utility>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/join/arrival.hpp"
#include "nopal/detail/join/thrown.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/runtime/lend.hpp"
#include "nopal/detail/strand/strand.hpp"
#include "nopal/detail/strand/worker.hpp"
#ifdef NOPAL_FORK_WAITS
#include "variants/stacks/waiting_frame.hpp"
#else
namespace nopal::detail {

/// A frame whose strand leaves its stack to wait. The other waiting_frame is in variants/stacks.
struct waiting_frame {
  struct mark {};
  struct theft {
    explicit theft(waiting_frame& /*of*/) noexcept {}
  };
  static mark forking(worker& /*on*/) noexcept { return {}; }
  static void stolen(const mark& /*of_child*/) noexcept {}
  struct extent {
    explicit extent(waiting_frame& /*of*/) noexcept {}
  };
  static void offer(suspension& /*strand*/) noexcept {}
  static suspension* take_over_nearest(waiting_frame& /*of*/, continuation& /*child*/) noexcept {
    return nullptr;
  }
  static continuation* take_child() noexcept { return nullptr; }
  template <class Child, class Arrived>
  static void wait(Arrived /*unless*/) noexcept {}
};

}  // namespace nopal::detail
#endif

namespace nopal::detail {

class queued_children;

/// A forked call that waits on the deque. It lies on the heap.
class queued_child : public continuation {
 public:
  queued_child(const queued_child&) = delete;
  queued_child& operator=(const queued_child&) = delete;

 protected:
  /// Runs the call, and frees the child, also if the call throws.
  using call_function = void (*)(queued_child&);

  queued_child(call_function call, queued_children& join) noexcept
      : continuation(run_stolen), call_(call), join_(&join), at_fork_(*this_worker()) {}
  ~queued_child() = default;

 private:
  friend class queued_children;
  friend waiting_frame;

  static void run_stolen(continuation& c, worker& w) noexcept;
  static void strand(void* child);
  static void call_and_note(queued_child& c) noexcept;
  static void call_as_thief(queued_child& c) noexcept;

  // The frame that waits uses these.
  static queued_child* of(continuation& c) noexcept {
    return c.is_run_by(run_stolen) ? static_cast<queued_child*>(&c) : nullptr;
  }
  [[nodiscard]] waiting_frame& frame() const noexcept;
  [[nodiscard]] const waiting_frame::mark& forked_at() const noexcept { return mark_; }
  void run_on_waiting_stack() noexcept;
  queued_children& call_below() noexcept;

  /// Returns the state that the child begins with on a thief.
  [[nodiscard]] strand_state begin_on_thief() const noexcept {
    return at_fork_.stolen(forked_on_->strand_fp_control.load(std::memory_order_relaxed));
  }

  call_function call_;
  queued_children* join_;
  fork_state at_fork_;
  // queue() writes these.
  const worker* forked_on_ = nullptr;
  std::uint64_t order_ = 0;  ///< Its place in the serial order of the frame's children.
  [[no_unique_address]] waiting_frame::mark mark_{};
  queued_child* before_ = nullptr;  ///< The child before on the deque. It is gone if it was stolen.

  // The newest child on the deque of the calling worker, whichever frame forked it; if none is
  // there, anything. Each access is a function of its own, since a strand may have changed threads
  // before.
  static inline thread_local queued_child* newest = nullptr;
  NOPAL_NOINLINE static void add_newest(queued_child& c) noexcept {
    c.before_ = std::exchange(newest, &c);
  }
  NOPAL_NOINLINE static queued_child& take_newest() noexcept {
    return *std::exchange(newest, newest->before_);
  }
};

/// The children of a function on the deque, and the word on which the stolen ones arrive. It lies
/// in the frame of the forking function.
class queued_children {
 public:
  queued_children() noexcept { thrown_.begin(0); }
  queued_children(const queued_children&) = delete;
  queued_children& operator=(const queued_children&) = delete;

  /// Carries a thread that is no worker over to the default runtime, until end(). Called before a
  /// child is made.
  void enter() {
    if (this_worker() != nullptr) [[likely]]
      return;
    enter_default_runtime(lend_to::guest);
    entered_ = true;
  }

  /// Queues a child. If the deque is full the child runs at once.
  void queue(queued_child& c) noexcept {
    worker& w = *this_worker();  // the copies of the arguments may have forked
    if (forked_ == 0) uncaught_at_fork_ = w.exceptions->uncaught;
    c.forked_on_ = &w;
    c.order_ = forked_++;
    c.mark_ = frame_.forking(w);
    queued_child::add_newest(c);
    ++queued_;
    if (w.push(&c) < 0) [[unlikely]]
      run_newest();
  }

  /// Returns when all children have ended.
  /// \throws the exception of the serially first child that threw.
  void join() {
    if (std::exception_ptr e = wait()) std::rethrow_exception(std::move(e));
  }

  /// Does what join() does, at the end of the frame. If the function is left by an exception, the
  /// exceptions of the children are dropped.
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

  /// Runs the newest child, which is not on the deque any more, as a call. The child finds the
  /// exceptions that the fork found. It may be a child of another frame of the function.
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
    frame_.wait<queued_child>([this] { return word_.load() == -queued_; });
    if (word_.load() == -queued_)
      word_.add(queued_);
    else
      suspend_to_join();
    NOPAL_ASSERT(word_.load() == 0);
    queued_ = 0;
  }

  /// Goes on when all children have arrived. Meanwhile thieves may run below this frame what it
  /// waits for.
  void suspend_to_join() noexcept {
    suspend_strand(waiting_, {announce_join, this, &waiting_.saved});
    while (continuation* child = frame_.take_child()) {
      ended_below ended{this, &queued_child::of(*child)->call_below()};
      suspend_strand(waiting_, {announce_child_below, &ended, &waiting_.saved});
    }
  }

  // Each stolen child arrives with -1, the forking function with the number of stolen children. The
  // last to arrive makes the word 0, and goes on with the function.

  static suspension* announce_join(void* self) noexcept {
    auto& j = *static_cast<queued_children*>(self);
    j.frame_.offer(j.waiting_);
    return j.word_.add(j.queued_) == 0 ? &j.waiting_ : nullptr;
  }
  static suspension* announce_child(void* self) noexcept {
    auto& j = *static_cast<queued_children*>(self);
    return j.word_.add(-1) == 0 ? &j.waiting_ : nullptr;
  }

  struct ended_below {
    queued_children* below;  ///< The ancestor on whose stack the child has run.
    queued_children* join;
  };
  static suspension* announce_child_below(void* ended) noexcept {
    const ended_below e = *static_cast<ended_below*>(ended);
    e.below->frame_.offer(e.below->waiting_);  // others may run there from here on
    return announce_child(e.join);
  }

  std::int64_t queued_ = 0;            ///< Children that this strand has not run itself.
  std::uint64_t forked_ = 0;           ///< Children forked since the last join.
  unsigned int uncaught_at_fork_ = 0;  ///< Exceptions on their way at the first of these forks.
  bool entered_ = false;               ///< Whether this has entered the default runtime.
  arrival_word word_{0};
  thrown_by_children thrown_;
  suspension waiting_;
  [[no_unique_address]] waiting_frame frame_;
};

inline void queued_child::call_and_note(queued_child& c) noexcept {
  queued_children& join = *c.join_;
  const std::uint64_t order = c.order_;
  const waiting_frame::extent lasts(join.frame_);
  try {
    c.call_(c);
  } catch (...) {
    join.thrown_.note(std::current_exception(), order);
  }
}

inline void queued_child::call_as_thief(queued_child& c) noexcept {
  const waiting_frame::theft lasts(c.join_->frame_);
  call_and_note(c);
}

inline void queued_child::run_stolen(continuation& c, worker& w) noexcept {
  auto& self = static_cast<queued_child&>(c);
  waiting_frame::stolen(self.mark_);
  if (suspension* ancestor = waiting_frame::take_over_nearest(self.join_->frame_, self))
    return resume_strand(w, *ancestor);
  start_strand(w, {strand, &self, self.begin_on_thief()});
}

inline void queued_child::strand(void* child) {
  auto& self = *static_cast<queued_child*>(child);
  queued_children* join = self.join_;
  call_as_thief(self);
  end_strand({queued_children::announce_child, join, nullptr});
}

/// Does what strand() does, but as a call from a frame that waits. Returns the join at which the
/// child is to arrive.
inline queued_children& queued_child::call_below() noexcept {
  queued_children& join = *join_;
  strand_state here{};
  here.note_stop(this_worker()->exceptions);
  begin_on_thief().go_on(*this_worker());
  call_as_thief(*this);
  here.go_on(*this_worker());
  return join;
}

#ifdef NOPAL_FORK_WAITS
inline waiting_frame& queued_child::frame() const noexcept { return join_->frame_; }

/// Calls the child and announces its arrival. The thief goes on with the frame that called.
inline void queued_child::run_on_waiting_stack() noexcept {
  queued_children& join = call_below();
  if (suspension* last_for = queued_children::announce_child(&join))
    this_scheduler_worker().belongs_to->submit_resumption(last_for->as_resumption());
}
#endif

}  // namespace nopal::detail
