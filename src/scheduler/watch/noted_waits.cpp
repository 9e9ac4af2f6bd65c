// SPDX-License-Identifier: Apache-2.0
#ifdef NOPAL_CHECK

#include "scheduler/watch/noted_waits.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "platform/message.hpp"
#include "platform/process_generation.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/victims.hpp"

namespace nopal::detail {
namespace {

std::atomic<noted_waits*> newest{nullptr};

}  // namespace

std::atomic<std::chrono::milliseconds> noted_waits::patience_of_threads{std::chrono::seconds(10)};

bool noted_waits::is_of_this_process() const noexcept {
  return generation_ == process_generation();
}

noted_waits* noted_waits::of_this_process() noexcept {
  for (;;) {
    noted_waits* known = newest.load(std::memory_order_acquire);  // pairs with the exchange below
    if (known != nullptr && known->is_of_this_process()) return known;
    std::unique_ptr<noted_waits> fresh(new (std::nothrow) noted_waits(process_generation()));
    if (fresh == nullptr) return nullptr;
    fresh->before_ = known;
    if (newest.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel,
                                       std::memory_order_relaxed))
      return fresh.release();
  }
}

noted_scheduler::noted_scheduler(const scheduler& s)
    : scheduler_(&s), in_(noted_waits::of_this_process()) {
  if (in_ == nullptr) throw std::bad_alloc();
  const std::lock_guard lock(in_->lock_);
  in_->schedulers_.push_back(&s);
}

noted_scheduler::~noted_scheduler() {
  if (!in_->is_of_this_process()) return;
  const std::lock_guard lock(in_->lock_);
  std::erase(in_->schedulers_, scheduler_);
}

/// Adds the note to the list of all that waits in this process, until end().
void noted_wait::begin(const reason& r) noexcept {
  reason_ = r;
  since_ = noted_waits::clock::now();
  in_ = noted_waits::of_this_process();
  if (in_ == nullptr) return;
  const std::lock_guard lock(in_->lock_);
  link_ = &in_->first_;
  next_ = std::exchange(*link_, this);
  if (next_ != nullptr) next_->link_ = &next_;
}

/// Ends the note. A child of fork(2) leaves alone what the parent has noted.
void noted_wait::end() noexcept {
  noted_waits* in = std::exchange(in_, nullptr);
  if (in == nullptr || !in->is_of_this_process()) return;
  const std::lock_guard lock(in->lock_);
  *link_ = next_;
  if (next_ != nullptr) next_->link_ = link_;
}

// The accesses are relaxed: this is a hint, and a moment more or less makes no difference to it.
expected_event::expected_event() noexcept : in_(noted_waits::of_this_process()) {
  if (in_ != nullptr) in_->expected_.fetch_add(1, std::memory_order_relaxed);
}
expected_event::~expected_event() {
  if (in_ != nullptr) in_->expected_.fetch_sub(1, std::memory_order_relaxed);
}

/// Returns a number for what all workers have done so far. Returns nothing if one of them runs
/// something, if something is there for one to run, or if the system may yet let something go on.
std::optional<std::uint64_t> noted_waits::done_if_quiet() const noexcept {
  if (expected_.load(std::memory_order_relaxed) != 0) return std::nullopt;
  std::uint64_t all = 0;
  for (const scheduler* s : schedulers_) {
    if (!s->has_nothing_to_run()) return std::nullopt;
    all = mixed(all, s->stack_switches());
  }
  return all;
}

void noted_waits::look(std::chrono::milliseconds patience) noexcept {
  const std::lock_guard lock(lock_);
  const clock::time_point now = clock::now();
  const std::optional<std::uint64_t> done = done_if_quiet();
  if (!done || done != std::exchange(done_, done))
    quiet_since_ = now;
  else if (now - quiet_since_ >= patience)
    say(now - patience);
}

/// Names all that has begun to wait before `until`.
void noted_waits::say(clock::time_point until) noexcept {
  std::string text;
  for (noted_wait* w = first_; w != nullptr; w = w->next_) {
    if (w->said_ || w->since_ > until) continue;
    w->said_ = true;
    std::array<char, 512> line;
    w->reason_.describe(w->reason_.object, line.data(), line.size());
    (text += "\n  ") += line.data();
  }
  if (text.empty()) return;
  text =
      "no worker has anything to run, and these wait:" + text +
      "\nIf no thread outside of nopal lets them go on, they wait for ever. Let each signal that "
      "a countdown counts be given, on every way that its strand may take, and let a task_scope "
      "end before its runtime: declare it behind the runtime";
  write_message(text.c_str());
}

}  // namespace nopal::detail

#endif
