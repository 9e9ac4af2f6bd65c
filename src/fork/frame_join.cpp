// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/fork/frame_join.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "nopal/detail/join/left_views.hpp"
#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/runtime/lend.hpp"
#include "platform/message.hpp"
#include "strand/stack.hpp"

namespace nopal::detail {
namespace {

/// How many bytes of arguments on the stack a call in a forking function may have. It is less than
/// the guard between two stacks.
constexpr std::size_t most_linkage = std::size_t{32} << 10;

}  // namespace

// A thief runs this. Nobody else touches the frame's own fields. When the victim comes back, it
// touches only the word, the list of exceptions and the fields that say where it was. Whoever goes
// on with the function reads those after the last arrival.
void frame_join::run_stolen(continuation& c, worker& w) noexcept {
  auto& self = static_cast<frame_join&>(c);
  // The distance is large if `sp` is on another stack, and larger still if that stack is above.
  const auto from_frame = [&](void* sp) {
    return static_cast<std::size_t>(static_cast<char*>(self.saved.fp) - static_cast<char*>(sp));
  };
  if (!self.counter_.stolen_from()) {
    self.first_sp_ = self.nearest_sp_ = self.saved.sp;
    self.own_stack_ = nullptr;
    self.waits_at_fork_ = false;
  } else if (from_frame(self.saved.sp) < from_frame(self.nearest_sp_)) {
    self.nearest_sp_ = self.saved.sp;
  }
  // What the function addresses above its stack pointer lies in its frame, and is no more than
  // most_linkage.
  void* sp = fresh_stack_pointer(w, std::min(from_frame(self.nearest_sp_), most_linkage),
                                 self.nearest_sp_);
  self.counter_.count_steal();
  self.state.stolen();
  continue_strand(w, self, sp);
}

/// Ends the strand that has come to the join of a function that was stolen from. Whoever arrives
/// last, perhaps this worker, goes on with the function. join_call() calls this, with the context
/// saved.
void frame_join::leave_at_join(suspension* frame) noexcept {
  auto& self = static_cast<frame_join&>(*frame);
  NOPAL_ASSERT(self.counter_.stolen_from());
  NOPAL_ASSERT(this_worker()->deque.empty());  // the strand began here after the last steal
  self.uncaught_at_fork_ = self.state.exceptions.uncaught;
  note_strand(self);
  stack* here = current_stack();
  if (!here->holds(self.saved.fp)) end_strand({announce_parent, &self, nullptr});
  // The join of another frame_join has brought the function home.
  self.own_stack_ = here;
  self.nearest_sp_ = self.saved.sp;
  end_strand({announce_parent, &self, &self.saved});
}

/// Announces the arrival of the strand that has come to the join.
suspension* frame_join::announce_parent(void* argument) noexcept {
  auto& self = *static_cast<frame_join*>(argument);
  const auto steals = static_cast<std::int64_t>(self.counter_.steals());
  return self.counter_.arrives(steals) ? self.last_has_arrived() : nullptr;
}

/// Announces the arrival of a child that was stolen from.
suspension* frame_join::announce_child(void* argument) noexcept {
  auto& self = *static_cast<frame_join*>(argument);
  if (!self.counter_.arrives(-1)) return nullptr;
  return self.waits_at_fork_ ? self.waiting() : self.last_has_arrived();
}

/// The strand that waits in exception_of_children_before(). It lies where an exception is held at
/// other times.
suspension*& frame_join::waiting() noexcept {
  static_assert(sizeof held_ == sizeof(suspension*));
  return *std::launder(reinterpret_cast<suspension**>(held_));
}

/// Announces the arrival of the strand that waits at a fork.
suspension* frame_join::announce_at_fork(void* argument) noexcept {
  auto& self = *static_cast<frame_join*>(argument);
  // If this is not the last arrival, the frame may be another worker's after it.
  suspension* const here = self.waiting();
  const auto steals = static_cast<std::int64_t>(self.counter_.steals());
  return self.counter_.arrives(steals) ? here : nullptr;
}

/// Waits until all children that were stolen from have ended. Returns the exception of the serially
/// first of them that threw. This is a join, but the function stays where it is, and goes back to
/// its own stack at the next join. For that join, the children count as arrived.
///
/// The suspension lies on the heap. The last child to arrive reads it, and if workers are processes
/// that child does not see the stack of this strand. If there is no memory for a suspension, there
/// is no wait, and what the strand has thrown goes on.
std::exception_ptr frame_join::exception_of_children_before() noexcept {
  NOPAL_ASSERT(this_worker()->deque.empty());  // the strand began here after the last steal
  const std::unique_ptr<suspension> here(new (std::nothrow) suspension);
  if (here == nullptr) return nullptr;
  new (held_) suspension*(here.get());
  waits_at_fork_ = true;
  suspend_strand(*here, {announce_at_fork, this, &here->saved});
  waits_at_fork_ = false;
  counter_.expect_again();
  set_views_of_strand(linked(thrown_.take_views(), take_views_of_strand()));
  merge_linked_views();
  return thrown_.take_first();
}

/// Decides where the function goes on, and with which views: those of its own strand come last. If
/// the first victim's stack is not the function's own, and the function does not go back to it, it
/// is left in own_stack_.
suspension* frame_join::last_has_arrived() noexcept {
  state.views = linked(thrown_.take_views(), state.views);
  if (own_stack_ == nullptr) {
    saved.sp = first_sp_;
  } else {
    saved.sp = nearest_sp_;
    stack* first = std::exchange(on, own_stack_);
    own_stack_ = first != on ? first : nullptr;
  }
  NOPAL_ASSERT(on->holds(saved.sp));
  return this;
}

NOPAL_NOINLINE void frame_join::arrive(std::uint64_t order) noexcept {
  NOPAL_ASSERT(this_worker()->deque.empty());  // the forking function was stolen last
  thrown_.leave_views(order / counter::one_steal);
  stack* here = current_stack();
  const bool own = here->holds(saved.fp);
  // The function goes on, behind its join, on the stack of the first victim or on its own stack,
  // which holds its frame; docs/fork.md. Any other stack is free now.
  if (order < counter::one_steal)
    on = here;
  else if (own)
    own_stack_ = here;
  else
    end_strand({announce_child, this, nullptr});
  // The function comes back to this stack. The part of the stack that is still in use ends above
  // the frame of arrive().
  context kept;
  kept.sp = __builtin_frame_address(0);
  end_strand({announce_child, this, &kept});
}

void frame_join::note_exception(std::uint64_t order) noexcept {
  thrown_.note(std::current_exception(), order);
  mark_views_thrown();
}

void frame_join::hold_exception() noexcept {
  new (held_) std::exception_ptr(std::current_exception());
}

/// Carries the calling thread, on which a fork_frame is used outside of any runtime, over to the
/// default runtime. Returns the worker on which this returns.
worker* frame_join::enter(lend_to to) {
  NOPAL_ASSERT(this_worker() == nullptr);
  enter_default_runtime(to);
  counter_.set(entered);
  return this_worker();
}

std::size_t frame_join::enter_and_run(child_function run, word w0, word w1, suspension* frame,
                                      word w2, word w3, word w4, lend_to to) noexcept {
  frame_join& self = of_child(frame);
  try {
    self.enter(to);
  } catch (...) {
    self.hold_exception();
    return 1;
  }
  return run(w0, w1, frame, w2, w3, w4);
}

void frame_join::rethrow_held() {
  auto* held = std::launder(reinterpret_cast<std::exception_ptr*>(held_));
  std::exception_ptr e = std::move(*held);
  std::destroy_at(held);
  // The serial program would have come first to the exceptions of the children before. A thread
  // that could not enter the default runtime cannot wait for these children here.
  if (counter_.stolen_from() && this_worker() != nullptr)
    if (std::exception_ptr before = exception_of_children_before()) e = std::move(before);
  std::rethrow_exception(std::move(e));
}

/// Returns the exception of the serially first child that threw, and makes the frame as new. Called
/// after the last arrival.
std::exception_ptr frame_join::first_exception() noexcept {
  strand_continued();
  if (own_stack_ != nullptr) free_stack(*own_stack_);
  counter_.forget_steals();
  merge_linked_views();
  return thrown_.take_first();
}

/// Finishes a join after the last arrival, on the strand that goes on with the function.
void frame_join::finish_join() {
  if (std::exception_ptr e = first_exception()) std::rethrow_exception(std::move(e));
}

/// Finishes the join at the end of the frame, and leaves the default runtime if enter() has entered
/// it.
void frame_join::finish_frame() {
  std::exception_ptr e;
  if (counter_.stolen_from()) {
    e = first_exception();
    // One more exception is on its way than at the fork: it leaves the function, and goes on.
    if (this_worker()->exceptions->uncaught > uncaught_at_fork_) e = nullptr;
  }
  if (counter_.has(entered)) {
    if (!current_stack()->holds(saved.fp))
      misuse(
          "a fork_frame that brought its thread into the default runtime has ended before another "
          "one of the same "
          "function; declare it first");
    leave_default_runtime();
  }
  counter_.clear();
  if (e != nullptr) std::rethrow_exception(std::move(e));
}

}  // namespace nopal::detail
