// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/strand/strand.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "nopal/detail/platform/hook.hpp"
#include "nopal/detail/scheduler/submission.hpp"
#include "platform/broken_invariant.hpp"
#include "scheduler/fork_in_child.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/scheduler_worker.hpp"
#include "strand/switch.hpp"

namespace nopal::detail {
namespace {

/// From the task stack to the scheduler stack, where run_worker() does what `d` says. Comes back
/// where `s` is resumed.
void leave(scheduler_worker& w, context& save, const departure& d) noexcept {
  refuse_in_child_of_fork(*w.home);
  w.leaving = d;
  w.stack_switches.add();
  if (d.stays != &save) forget_frames(d.stays != nullptr ? d.stays->sp : w.current->base());
  before_switch(d.stays != nullptr ? &w.current->sanitizer_fiber : nullptr, w.scheduler_fiber);
  nopal_context_switch(&save, &w.scheduler_context);
}

void first_frame(void* s) {
  const strand_start begin = *static_cast<strand_start*>(s);
  scheduler_worker& w = this_scheduler_worker();
  after_switch(w.current->sanitizer_fiber, true);
  load_fp_control(begin.fp);
  w.strand_fp_control.store(begin.fp, std::memory_order_relaxed);
  begin.entry(begin.argument);
}

}  // namespace

void start_strand(worker& base, const strand_start& begin) noexcept {
  auto& w = static_cast<scheduler_worker&>(base);
  stack& s = w.home->occupy_spare(w);
  assign(w.exceptions, &begin.exceptions);
  leave_word_of_strand(nullptr);
  w.stack_switches.add();
  before_switch(&w.scheduler_fiber, s.sanitizer_fiber);
  nopal_context_call(&w.scheduler_context, s.base(), first_frame,
                     const_cast<strand_start*>(&begin));
  after_switch(w.scheduler_fiber, false);
}

void* fresh_stack_pointer(worker& base, std::size_t room, const void* like) noexcept {
  constexpr std::uintptr_t most_alignment = 128;  // of what is passed by value
  const stack& fresh = *static_cast<scheduler_worker&>(base).spare;
  const auto sp =
      reinterpret_cast<std::uintptr_t>(fresh.base()) - std::min(room, fresh.usable_bytes() / 2);
  return reinterpret_cast<void*>(sp -
                                 (sp - reinterpret_cast<std::uintptr_t>(like)) % most_alignment);
}

void continue_strand(worker& base, const suspension& s, void* sp) noexcept {
  auto& w = static_cast<scheduler_worker&>(base);
  stack& fresh = w.home->occupy_spare(w);
  assign(w.exceptions, &s.exceptions);
  leave_word_of_strand(nullptr);
  w.stack_switches.add();
  w.in_middle = true;
  w.strand_fp_control.store(s.saved.control, std::memory_order_relaxed);
  before_switch(&w.scheduler_fiber, fresh.sanitizer_fiber);
  nopal_context_switch_to_stack(&w.scheduler_context, &s.saved, sp);
  after_switch(w.scheduler_fiber, false);
}

void switch_to(scheduler_worker& w, const suspension& s) noexcept {
  assign(w.exceptions, &s.exceptions);
  leave_word_of_strand(nullptr);
  w.stack_switches.add();
  w.in_middle = true;
  w.strand_fp_control.store(s.saved.control, std::memory_order_relaxed);
  before_switch(&w.scheduler_fiber, s.home->sanitizer_fiber);
  nopal_context_switch(&w.scheduler_context, &s.saved);
  after_switch(w.scheduler_fiber, false);
}

void resume_strand(worker& base, suspension& s) noexcept {
  auto& w = static_cast<scheduler_worker&>(base);
  w.home->resume(w, s);
}

bool sent_home(worker& home, continuation& c) noexcept {
  return scheduler::sent_home(this_scheduler_worker(), static_cast<scheduler_worker&>(home), c);
}

void strand_continued() noexcept {
  scheduler_worker& w = this_scheduler_worker();
  if (!w.in_middle) return;
  w.in_middle = false;
  after_switch(w.current->sanitizer_fiber, false);
}

void note_strand(suspension& s) noexcept {
  assign(&s.exceptions, this_scheduler_worker().exceptions);
}

void leave_worker(suspension& s, const departure& d) noexcept {
  scheduler_worker& w = this_scheduler_worker();
  note_strand(s);
  s.home = w.current;
  leave(w, s.saved, d);
}

NOPAL_NOINLINE void suspend_strand(suspension& s, const departure& d) noexcept {
  this_scheduler_worker().suspensions.add();
  leave_worker(s, d);
  strand_continued();
}

NOPAL_NOINLINE void end_strand(const departure& d) noexcept {
  context nobody_comes_back;
  leave(this_scheduler_worker(), nobody_comes_back, d);
  __builtin_unreachable();
}

void submit_to(unsigned index, submission& s) noexcept {
  scheduler& home = *this_scheduler_worker().home;
  home.submit_to(home.worker_at(index), s);
}

bool is_this_worker(unsigned index) {
  const scheduler_worker& w = this_scheduler_worker();
  if (const unsigned workers = w.home->workers(); index >= workers)
    throw std::out_of_range("nopal: there is no worker " + std::to_string(index) +
                            "; this runtime has " + std::to_string(workers) + ", counted from 0");
  return index == w.index;
}

stack* current_stack() noexcept { return this_scheduler_worker().current; }

void free_stack(stack& s) noexcept {
  scheduler_worker& w = this_scheduler_worker();
  w.home->release(w, s);
}

}  // namespace nopal::detail
