// SPDX-License-Identifier: Apache-2.0
// If a fork_frame is on a thread that is no worker, the rest of the function must be able to run on
// a worker. So the thread lends the workers its stack until the frame ends, and waits on a stack of
// its own for as long. docs/strand.md describes it.
#include "nopal/detail/runtime/lend.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "nopal/detail/runtime/default_runtime.hpp"
#include "nopal/detail/strand/strand.hpp"
#include "nopal/detail/wait/waiter.hpp"
#include "platform/threads/kept_for_thread.hpp"
#include "scheduler/scheduler.hpp"
#include "strand/shortage/no_stack.hpp"
#include "strand/strand_worker.hpp"

namespace nopal::detail {
namespace {

struct bounds {
  std::byte* low;
  std::size_t bytes;
  std::byte* guard_begin;
  std::size_t guard;
};

/// Returns the bounds of the calling thread's stack, and of its guard. The C library makes the
/// guard, which lies below the bounds that the library tells, or at their low end. The main thread
/// has no guard. Its stack grows, and must not come as near to another mapping as the kernel's gap,
/// which is a mebibyte unless the kernel was told otherwise.
/// \throws std::system_error
bounds stack_of_this_thread() {
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

constexpr std::size_t waiting_bytes = std::size_t{64} << 10;

/// The thread's stack while it is lent. leave_default_runtime() finds it as the worker's current
/// stack. The object lives as long as the thread, so that a frame may know the stack as its home
/// over several times that it is lent.
struct lent_stack : stack, kept_for_thread {
  /// \throws std::bad_alloc
  explicit lent_stack(bounds b)
      : stack(b.low, b.bytes, b.guard_begin, b.guard), waiting(map_waiting()) {
    there.on = this;
  }
  ~lent_stack() override { stack::unmap(waiting); }
  void thread_ends() noexcept override;

  stack* waiting;
  scheduler* lent_to = nullptr;
  suspension there;          ///< The strand on its way to a worker.
  suspension back;           ///< The strand on its way back.
  waiter* thread = nullptr;  ///< The thread, which waits for the strand's return.

  /// Maps the stack on which the thread waits.
  static stack* map_waiting() {
    errno = ENOMEM;
    if (stack* mapped = stack::map(waiting_bytes)) return mapped;
    throw no_stack("the stack on which a thread waits that has lent its own to a fork_frame",
                   waiting_bytes, errno, "");
  }

  /// Lets the thread go on, on its own stack, which the strand has left. The worker calls this.
  static suspension* announce_return(void* argument) noexcept {
    auto& self = *static_cast<lent_stack*>(argument);
    scheduler& s = *self.lent_to;
    self.thread->go_on();  // the thread may end now, and this object with it
    s.finished();
    return nullptr;
  }

  /// Waits for the strand's return. The thread that lends calls this on its waiting stack.
  static void wait(void* argument) {
    auto& self = *static_cast<lent_stack*>(argument);
    after_switch(self.waiting->sanitizer_fiber, true);
    wait_for([&self](waiter& w) noexcept {
      self.thread = &w;
      self.lent_to->submit_resumption(self.there.as_resumption());
      return true;
    });
    context nobody_comes_back;
    forget_frames(self.waiting->base());
    before_switch(nullptr, self.sanitizer_fiber);
    nopal_context_switch(&nobody_comes_back, &self.back.saved);
  }
};

constinit thread_local lent_stack* own_stack = nullptr;

void lent_stack::thread_ends() noexcept { own_stack = nullptr; }

/// Returns the stack of the calling thread.
lent_stack& stack_to_lend() {
  if (own_stack == nullptr) {
    auto made = std::make_unique<lent_stack>(stack_of_this_thread());
    lent_stack* const own = made.get();
    keep_for_this_thread(std::move(made));
    own_stack = own;
  }
  return *own_stack;
}

}  // namespace

NOPAL_NOINLINE void enter_default_runtime() {
  lent_stack& lent = stack_to_lend();
  if (!lent.holds(__builtin_frame_address(0)))
    throw std::logic_error(
        "nopal: a fork_frame outside of a runtime needs the stack that its thread was started "
        "with, and runs on another one (of "
        "a fiber or a signal handler); call it through nopal::run");
  lent.lent_to = &enter_default_scheduler();  // finished() is in announce_return()
  lent.begin_strand();
  lent.there.state = strand_state::of_caller();
  before_switch(&lent.sanitizer_fiber, lent.waiting->sanitizer_fiber);
  nopal_context_call(&lent.there.saved, lent.waiting->base(), lent_stack::wait, &lent);
  strand_continued();
}

NOPAL_NOINLINE void leave_default_runtime() noexcept {
  auto& lent = static_cast<lent_stack&>(*this_strand_worker().current);
  leave_worker(lent.back, {lent_stack::announce_return, &lent, &lent.back.saved});
  // This runs on the thread that lent the stack from here on.
  after_switch(lent.sanitizer_fiber, false);
  lent.back.state.go_on_here();
  views_come_back_to_thread();
}

}  // namespace nopal::detail
