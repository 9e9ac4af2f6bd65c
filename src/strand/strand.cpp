// SPDX-License-Identifier: Apache-2.0
// This file has every way from a scheduler stack to the stack of a strand and back.
#include "nopal/detail/strand/strand.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "nopal/detail/strand/current_scope.hpp"
#include "nopal/detail/strand/strand_words.hpp"
#include "platform/message.hpp"
#include "platform/process_generation.hpp"
#include "strand/events.hpp"
#include "strand/stack_supply.hpp"
#include "strand/strand_worker.hpp"

extern "C" {
// Optimization at link time does not see what assembly uses.
[[gnu::used]] constinit thread_local nopal::detail::worker* nopal_this_worker = nullptr;
static constinit char nothing_to_guess = 0;
[[gnu::used]] constinit thread_local nopal_strand_words nopal_words_of_strand = {
    nullptr, &nothing_to_guess, nullptr};
[[gnu::used]] constinit thread_local nopal::detail::strand_views* nopal_views_of_strand = nullptr;
}

namespace nopal::detail {
namespace {

/// Returns how far down `s` tasks may run within tasks, so that most of `s` is left for what they
/// call.
void* lowest_for_tasks(const stack& s) noexcept { return s.base() - s.usable_bytes() / 8; }

/// Returns the scope in which a strand begins on `w`.
stop_scope* scope_to_begin_in(strand_worker& w, const strand_state& s) noexcept {
  stop_scope* const of_fork = std::exchange(w.begins_in, nullptr);
  return of_fork != nullptr ? of_fork : s.scope;
}

/// Prepares the thread of `w` to run the strand whose state is `s`, on the stack w.current, in
/// `scope`.
void go_on_as(strand_worker& w, const strand_state& s, stop_scope* scope) noexcept {
  NOPAL_ASSERT(w.is_this_worker() && w.current != nullptr);
  NOPAL_ASSERT(w.deque.empty());  // take_back_newest() relies on it
  leave_word_of_strand(nullptr);
  nopal_words_of_strand.lowest = lowest_for_tasks(*w.current);
  w.count.add(&counts::stack_switches);
  w.deque.set_scope(scope);
  s.go_on(w);
  before_switch(&w.scheduler_fiber, w.current->sanitizer_fiber);
}

/// Completes the switch when the strand has left and the thread of `w` is back on its scheduler
/// stack.
void come_back(strand_worker& w) noexcept {
  after_switch(w.scheduler_fiber, false);
  load_fp_control(w.scheduler_fp);
}

/// Ends the program if this is a child of fork(2) that would have to wait for its parent. The
/// strand that called fork(2) goes on alone in the child, where forks work, since nobody steals.
/// But if a continuation had been stolen before, the strand that runs it is in the parent only, and
/// waiting for it would never end.
void refuse_in_child_of_fork(const strand_worker& w) noexcept {
  if (w.generation != process_generation())
    misuse(
        "a child of fork(2) came to a join whose other branch runs in the parent process. Call "
        "fork(2) outside of parallel code, or exec or _exit in the child before the next join");
}

/// Goes from the strand's stack to the scheduler stack, where the worker does what `d` says.
/// Returns when somebody goes on with what was saved in `save`. leave_worker() calls this for a
/// strand that stops, and end_strand() for one that is over, which nobody goes on with.
void leave(strand_worker& w, context& save, const departure& d) noexcept {
  refuse_in_child_of_fork(w);
  NOPAL_ASSERT(w.current != nullptr);
  // A function that was to make a task may stop before it does. The thread may be a guest's, and
  // run no other strand before it is a thread of the program again.
  leave_word_of_strand(nullptr);
  w.leaving = d;
  w.count.add(&counts::stack_switches);
  if (d.stays != &save) forget_frames(d.stays != nullptr ? d.stays->sp : w.current->base());
  before_switch(d.stays != nullptr ? &w.current->sanitizer_fiber : nullptr, w.scheduler_fiber);
  nopal_context_switch(&save, &w.scheduler_context);
}

/// Returns the worker and the strand that the calling thread runs. An event that is emitted for
/// tests and traces says by this where it happened.
event whereabouts_of_worker() noexcept {
  const auto* w = static_cast<const strand_worker*>(this_worker());
  if (w == nullptr) return {};
  return {w->index, w->current != nullptr ? w->current->id : strand_id()};
}

/// Runs a new strand. start_strand() calls this as the first function on the strand's stack.
void first_frame(void* s) {
  const strand_start begin = *static_cast<strand_start*>(s);
  after_switch(this_strand_worker().current->sanitizer_fiber, true);
  begin.entry(begin.argument);
}

}  // namespace

void become_worker(strand_worker& w, exception_state* of_thread) noexcept {
  nopal_this_worker = &w;
  locate_events(whereabouts_of_worker);
  w.exceptions = of_thread;
}

void begin_in_place(strand_worker& w, stack& s) noexcept {
  NOPAL_ASSERT(w.is_this_worker() && w.current == nullptr && w.deque.empty());
  s.begin_strand();
  w.current = &s;
  w.scheduler_fp = current_fp_control();
  w.strand_fp_control.store(w.scheduler_fp, std::memory_order_relaxed);
  w.deque.set_scope(scope_of_thread());
  leave_word_of_strand(nullptr);
  nopal_words_of_strand.lowest = lowest_for_tasks(s);
}

void end_in_place(strand_worker& w) noexcept {
  emit_of<strand_events::suspending>(w.current->id, true);
  w.current = nullptr;
  w.deque.set_scope(nullptr);
  nopal_words_of_strand.lowest = nullptr;
}

void resign_worker() noexcept { nopal_this_worker = nullptr; }

void start_strand(worker& base, const strand_start& begin) noexcept {
  auto& w = static_cast<strand_worker&>(base);
  const stack& s = w.supply->occupy_spare(w);
  go_on_as(w, begin.state, scope_to_begin_in(w, begin.state));
  nopal_context_call(&w.scheduler_context, s.base(), first_frame,
                     const_cast<strand_start*>(&begin));
  come_back(w);
}

void* fresh_stack_pointer(worker& base, std::size_t room, const void* like) noexcept {
  NOPAL_ASSERT(static_cast<strand_worker&>(base).spare != nullptr);
  // This is the largest alignment of what is passed by value.
  constexpr std::uintptr_t most_alignment = 128;
  const stack& fresh = *static_cast<strand_worker&>(base).spare;
  const auto sp =
      reinterpret_cast<std::uintptr_t>(fresh.base()) - std::min(room, fresh.usable_bytes() / 2);
  return reinterpret_cast<void*>(sp -
                                 (sp - reinterpret_cast<std::uintptr_t>(like)) % most_alignment);
}

void continue_strand(worker& base, const suspension& s, void* sp) noexcept {
  auto& w = static_cast<strand_worker&>(base);
  expose_linkage(sp, w.supply->occupy_spare(w).base());
  w.in_middle = true;
  go_on_as(w, s.state, scope_to_begin_in(w, s.state));
  nopal_context_switch_to_stack(&w.scheduler_context, &s.saved, sp);
  come_back(w);
}

void resume_strand(worker& base, suspension& s) noexcept {
  emit_of<strand_events::resuming>(s.on->id);
  auto& w = static_cast<strand_worker&>(base);
  NOPAL_ASSERT(s.on->holds(s.saved.sp));
  w.supply->occupy_again(w, *s.on);
  w.in_middle = true;
  go_on_as(w, s.state, s.state.scope);
  nopal_context_switch(&w.scheduler_context, &s.saved);
  come_back(w);
}

void resumption::resume(continuation& c, worker& w) noexcept {
  resume_strand(w, *static_cast<resumption&>(c).suspended);
}

void strand_continued() noexcept {
  strand_worker& w = this_strand_worker();
  if (!w.in_middle) return;
  w.in_middle = false;
  after_switch(w.current->sanitizer_fiber, false);
}

void note_strand(suspension& s) noexcept { s.state.note_stop(this_worker()->exceptions); }

void leave_worker(suspension& s, const departure& d) noexcept {
  strand_worker& w = this_strand_worker();
  note_strand(s);
  s.on = w.current;
  leave(w, s.saved, d);
}

NOPAL_NOINLINE void suspend_strand(suspension& s, const departure& d) noexcept {
  this_strand_worker().count.add(&counts::suspensions);
  leave_worker(s, d);
  strand_continued();
}

void begin_anew(const strand_state& s) noexcept {
  strand_worker& w = this_strand_worker();
  NOPAL_ASSERT(w.deque.empty());
  leave_word_of_strand(nullptr);
  s.go_on(w);
  w.deque.set_scope(s.scope);
}

NOPAL_NOINLINE void end_strand(const departure& d) noexcept {
  context nobody_comes_back;
  leave(this_strand_worker(), nobody_comes_back, d);
  __builtin_unreachable();
}

stack* current_stack() noexcept { return this_strand_worker().current; }

void free_stack(stack& s) noexcept {
  strand_worker& w = this_strand_worker();
  w.supply->release(w, s);
}

}  // namespace nopal::detail
