// SPDX-License-Identifier: Apache-2.0
#include "runtime/lent_stack.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <memory>
#include <system_error>
#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "strand/events.hpp"
#include "strand/shortage/no_stack.hpp"

namespace nopal::detail {
namespace {

/// As large as the C library makes the stacks of threads: the program's handlers of signals may run
/// there. Pages come when they are touched.
constexpr std::size_t bytes_beside = std::size_t{1} << 20;

__attribute__((tls_model("initial-exec"))) constinit thread_local lent_stack* own_stack = nullptr;

/// Maps the stack beside the own stack of a thread.
stack* map_beside() {
  errno = ENOMEM;
  if (stack* mapped = stack::map(bytes_beside)) return mapped;
  throw no_stack("the stack on which a thread waits that has lent its own", bytes_beside, errno,
                 "");
}

}  // namespace

struct lent_stack::bounds {
  std::byte* low;
  std::size_t bytes;
  std::byte* guard_begin;
  std::size_t guard;

  /// Returns the bounds of the calling thread's stack, and of its guard. The C library makes the
  /// guard, which lies below the bounds that the library tells, or at their low end. The main
  /// thread has no guard. Its stack grows, and must not come as near to another mapping as the
  /// kernel's gap, which is a mebibyte unless the kernel was told otherwise.
  /// \throws std::system_error
  static bounds of_this_thread() {
    pthread_attr_t attributes;
    if (const int error = pthread_getattr_np(pthread_self(), &attributes); error != 0)
      throw std::system_error(error, std::generic_category(),
                              "nopal: a fork_frame outside of a runtime needs the bounds of its "
                              "thread's stack, which pthread_getattr_np(3) does not give; call it "
                              "through nopal::run");
    void* low = nullptr;
    std::size_t bytes = 0;
    std::size_t guard = 0;
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_getguardsize(&attributes, &guard);
    pthread_attr_destroy(&attributes);
    constexpr std::size_t gap = std::size_t{1} << 20;
    if (gettid() == getpid()) guard = std::min(gap, bytes / 2);
    auto* const lowest = static_cast<std::byte*>(low);
    return {lowest, bytes, lowest - guard, 2 * guard};
  }
};

lent_stack::lent_stack(const bounds& b)
    : stack(b.low, b.bytes, b.guard_begin, b.guard),
      beside_(map_beside()),
      as_guest_{this, &parked_, &beside_->sanitizer_fiber, exception_state::of_this_thread(), 0} {
  // A strand whose stack overflows on this thread is explained if the thread handles signals on
  // another stack. The program's own does as well.
  stack_t present{};
  if (sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE) != 0)
    handles_overflow_.emplace();
  before_switch(&sanitizer_fiber, beside_->sanitizer_fiber);
  nopal_context_call(&back_.saved, beside_->base(), serve, this);
  after_switch(sanitizer_fiber, false);
}

lent_stack& lent_stack::of_this_thread() {
  if (own_stack == nullptr) {
    std::unique_ptr<lent_stack> made(new lent_stack(bounds::of_this_thread()));
    lent_stack* const own = made.get();
    keep_for_this_thread(std::move(made));
    own_stack = own;
  }
  return *own_stack;
}

/// Compilers keep addresses of thread-locals, so this is no inline function.
NOPAL_NOINLINE bool lent_stack::is_of_this_thread() const noexcept {
  asm volatile("" ::: "memory");
  return own_stack == this;
}

void lent_stack::thread_ends() noexcept {
  own_stack = nullptr;
  handles_overflow_.reset();
}

/// At an unloading the thread lives on, and may handle a signal on its stack for signals.
lent_stack::~lent_stack() {
  if (handles_overflow_) handles_overflow_->leave_to_thread();
  stack::unmap(beside_);
}

bool lent_stack::lend_to_guest(scheduler& s) noexcept {
  NOPAL_ASSERT(!serves_);
  guest_ = s.guest_comes(as_guest_);
  if (guest_ == nullptr) return false;
  lent_to_ = &s;
  return true;
}

void lent_stack::lend_to_worker(scheduler& s) noexcept {
  lent_to_ = &s;
  begin_strand();
  there_.on = this;
  there_.state = strand_state::of_caller();
  before_switch(&sanitizer_fiber, beside_->sanitizer_fiber);
  nopal_context_switch(&there_.saved, &parked_);
  strand_continued();
}

NOPAL_NOINLINE void lent_stack::take_back() noexcept {
  // If the thread has not left its stack, the parked one knows nothing of what has happened. If
  // something is left on the deque, as with children that another frame has queued, the strand
  // leaves, so that it is handed over.
  if (is_of_this_thread() && !serves_ && guest_->deque.empty())
    return lent_to_->guest_goes(*std::exchange(guest_, nullptr));
  leave_worker(back_, {announce_return, this, &back_.saved});
  // This runs on the thread that lent the stack from here on.
  after_switch(sanitizer_fiber, false);
  back_.state.go_on_here();
}

/// Lets the thread go on, on its own stack, which the strand has left. The worker or the guest that
/// ran the strand calls this.
suspension* lent_stack::announce_return(void* self) noexcept {
  emit_of<strand_events::suspending>(static_cast<lent_stack*>(self)->id, true);
  // Pairs with is_back() and wait_beside().
  waiter* const thread =
      static_cast<lent_stack*>(self)->thread_.exchange(returned(), std::memory_order_acq_rel);
  if (thread != nullptr) thread->go_on();  // the thread may end now, and this object with it
  return nullptr;
}

bool lent_stack::is_back(const void* self) noexcept {
  // Pairs with announce_return().
  return static_cast<const lent_stack*>(self)->thread_.load(std::memory_order_acquire) ==
         returned();
}

/// Lives on the stack beside. Each turn begins when the strand on the thread's own stack has left
/// that, and ends when it is back.
void lent_stack::serve(void* argument) {
  auto& self = *static_cast<lent_stack*>(argument);
  after_switch(self.beside_->sanitizer_fiber, true);
  self.leave_to(self.back_.saved);
  for (;;) {
    self.serves_ = true;
    self.wait_beside();
    self.serves_ = false;
    self.thread_.store(nullptr, std::memory_order_relaxed);  // until the next time nobody reads it
    self.leave_to(self.back_.saved);
  }
}

/// Parks the thread here, and goes on with `c` on its own stack. Returns when the strand there has
/// left it.
void lent_stack::leave_to(const context& c) noexcept {
  before_switch(&beside_->sanitizer_fiber, sanitizer_fiber);
  nopal_context_switch(&parked_, &c);
  after_switch(beside_->sanitizer_fiber, false);
}

/// Returns when the strand is back. Whoever has lent the stack to a worker counts as in flight. A
/// guest helps with what its strand has forked, as long as there
/// is something. Then it sleeps.
void lent_stack::wait_beside() noexcept {
  const bool handed_over = guest_ == nullptr;
  if (scheduler_worker* const w = std::exchange(guest_, nullptr)) {
    lent_to_->help(*w, is_back, this);
    const bool back = is_back(this);
    if (!back) lent_to_->started();  // in flight until it is back, and no guest any more
    lent_to_->guest_goes(*w);
    if (back) return;
  }
  wait_for([this, handed_over](waiter& w) noexcept {
    waiter* nobody = nullptr;
    // Pairs with announce_return().
    const bool waits = thread_.compare_exchange_strong(nobody, &w, std::memory_order_acq_rel,
                                                       std::memory_order_acquire);
    if (handed_over) lent_to_->submit_resumption(there_.as_resumption());
    return waits;
  });
  if (!handed_over) lent_to_->finished();
}

}  // namespace nopal::detail
