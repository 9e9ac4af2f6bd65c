// SPDX-License-Identifier: Apache-2.0
// A strand, a task or a thread waits by these for something that no join waits for.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "nopal/detail/deque/continuation.hpp"

namespace nopal::detail {

class scheduler;

/// A strand, a task, or a thread that is no worker, which waits until somebody calls go_on().
///
/// A waiter lies on the stack or in the coroutine that waits. Whoever calls go_on() has nothing
/// more to do with the waiter: it may be gone before the call returns.
class waiter {
 public:
  /// Makes the waiter of a thread that is no worker.
  waiter() noexcept = default;
  /// Makes the waiter of a strand or a task of `s`, which goes on when a worker runs `c`.
  /// \param needs_stack  whether `c` needs a fresh stack: a task does.
  waiter(continuation& c, scheduler& s, bool needs_stack) noexcept
      : goes_on_by_(&c), scheduler_(&s), needs_stack_(needs_stack) {}

  /// Lets the waiter go on: a worker of its own scheduler runs it, or its thread wakes. Any thread
  /// may call this, once. Lock-free.
  void go_on() noexcept;

  /// Does the same on a worker. If the worker is on its scheduler stack, has nothing else to go on
  /// with, and the waiter belongs to its scheduler, the worker itself goes on with the waiter.
  void go_on_here() noexcept;

  /// Sleeps until go_on(). A thread that is no worker calls this.
  void sleep() noexcept;

 private:
  continuation* goes_on_by_ = nullptr;
  scheduler* scheduler_ = nullptr;
  bool needs_stack_ = false;
  std::atomic<std::uint32_t> woken_{0};  ///< A futex, for a thread.
};

/// Says to whoever will call go_on() which waiter waits. Returns whether it has to wait: if not,
/// nobody calls go_on(). Called on a stack other than that of the strand that waits, so that the
/// strand may go on at once.
struct announcement {
  bool (*announce)(void* argument, waiter& w) noexcept;
  void* argument;

  bool operator()(waiter& w) const noexcept { return announce(argument, w); }
};

/// Returns an announcement that calls announce(waiter). `announce` is not copied.
template <class F>
announcement announcement_of(F& announce) noexcept {
  static_assert(std::is_nothrow_invocable_r_v<bool, F&, waiter&>);
  return {[](void* f, waiter& w) noexcept -> bool { return (*static_cast<F*>(f))(w); }, &announce};
}

/// Lets the calling strand leave its stack, and then announces its waiter. Returns, maybe on
/// another worker, after go_on(). A thread that is no worker sleeps for as long.
void wait_for(const announcement& a) noexcept;

/// Returns the scheduler of the calling worker.
scheduler& this_scheduler() noexcept;

}  // namespace nopal::detail
