// SPDX-License-Identifier: Apache-2.0
// How a strand, a task or a thread waits for something that no join waits for.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "nopal/detail/deque/continuation.hpp"

namespace nopal::detail {

class scheduler;

/// Whatever waits until somebody calls go_on(): a strand, a task, or a thread that is no worker.
///
/// It lies on the stack or in the coroutine that waits. Whoever calls go_on() has nothing more to
/// do with it: it may be gone before the call returns.
class waiter {
 public:
  /// A thread that is no worker.
  waiter() noexcept = default;
  /// A strand or a task of `s`, which goes on when a worker runs `c`.
  /// \param needs_stack  whether `c` needs a fresh stack: a task does.
  waiter(continuation& c, scheduler& s, bool needs_stack) noexcept
      : goes_on_by_(&c), scheduler_(&s), needs_stack_(needs_stack) {}

  /// Lets it go on: a worker of its own scheduler runs it, or its thread wakes. From any thread,
  /// once. Lock-free.
  void go_on() noexcept;

  /// The same, by a worker on its scheduler stack that has nothing else to go on with: it goes on
  /// with the waiter itself, if that belongs to its scheduler.
  void go_on_here() noexcept;

  /// The thread that is no worker sleeps until go_on().
  void sleep() noexcept;

 private:
  continuation* goes_on_by_ = nullptr;
  scheduler* scheduler_ = nullptr;
  bool needs_stack_ = false;
  std::atomic<std::uint32_t> woken_{0};  ///< A futex, for a thread.
};

/// Says to whoever will call go_on() which waiter waits. Returns whether it has to wait: if not,
/// nobody calls go_on(). Called on a stack other than that of the strand that waits, so that it may
/// go on at once.
struct announcement {
  bool (*announce)(void* argument, waiter& w) noexcept;
  void* argument;

  bool operator()(waiter& w) const noexcept { return announce(argument, w); }
};

/// The announcement that calls announce(waiter), which stays where it is.
template <class F>
announcement announcement_of(F& announce) noexcept {
  static_assert(std::is_nothrow_invocable_r_v<bool, F&, waiter&>);
  return {[](void* f, waiter& w) noexcept -> bool { return (*static_cast<F*>(f))(w); }, &announce};
}

/// The calling strand leaves its stack, and then the waiter is announced; returns, maybe on another
/// worker, after go_on(). A thread that is no worker sleeps for as long.
void wait_for(const announcement& a) noexcept;

/// The scheduler of the calling worker.
scheduler& this_scheduler() noexcept;

}  // namespace nopal::detail
