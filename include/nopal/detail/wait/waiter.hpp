// SPDX-License-Identifier: Apache-2.0
// A strand, a task or a thread waits by these for something that no join waits for. docs/wait.md
// has the protocol and its argument.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/platform/invoke.hpp"

namespace nopal::detail {

struct scheduler_worker;
struct resumption;
class announcement;

/// A strand, a task, or a thread that is no worker, which waits until somebody calls go_on().
///
/// A waiter lies on the stack or in the coroutine that waits. Whoever calls go_on() has nothing
/// more to do with the waiter: it may be gone before the call returns.
class waiter {
 public:
  /// Makes the waiter of a strand that runs on the calling worker.
  explicit waiter(resumption& strand) noexcept;
  /// Makes the waiter of a task that runs on the calling worker. It goes on when a worker of the
  /// same scheduler runs `task`, on a fresh stack.
  explicit waiter(continuation& task) noexcept;

  /// Lets the waiter go on: a worker of its own scheduler runs it, or its thread wakes. A task goes
  /// on on the worker that it has left, if that one searches for work. Any thread may call this,
  /// once. Lock-free.
  void go_on() noexcept;

  /// Does what go_on() does, on a worker. If the worker is on its scheduler stack, has nothing else
  /// to go on with, and the waiter belongs to its scheduler, the worker itself goes on with the
  /// waiter.
  void go_on_here() noexcept;

 private:
  friend void wait_for(const announcement& a) noexcept;

  /// Makes the waiter of a thread that is no worker.
  waiter() noexcept = default;
  void sleep() noexcept;

  continuation* goes_on_by_ = nullptr;
  scheduler_worker* home_ = nullptr;  ///< The worker that it has left; nullptr for a thread.
  bool needs_stack_ = false;
  std::atomic<std::uint32_t> woken_{0};  ///< A futex, for a thread.
};

/// Refers to a function that makes the waiter known to whoever will call go_on(). The function
/// returns whether the waiter has to wait: if not, nobody calls go_on(). It is called on a stack
/// other than that of the strand that waits, so that the strand may go on at once. So once the
/// waiter is known, the function must not touch it, nor anything else on the strand's stack, where
/// its own captures lie.
class announcement {
 public:
  /// `announce` is not copied.
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, announcement>)
  announcement(F&& announce) noexcept
      : announce_([](void* f, waiter& w) noexcept -> bool {
          return (*static_cast<std::remove_reference_t<F>*>(f))(w);
        }),
        argument_(detail::address_of(announce)) {
    static_assert(std::is_nothrow_invocable_r_v<bool, F&, waiter&>);
  }

  bool operator()(waiter& w) const noexcept { return announce_(argument_, w); }

 private:
  bool (*announce_)(void* argument, waiter& w) noexcept;
  void* argument_;
};

/// Lets the calling strand leave its stack, and then announces its waiter. Returns, maybe on
/// another worker, after go_on(). A thread that is no worker sleeps for as long.
/// \code
/// wait_for([&](waiter& w) noexcept { return event.add(w); });
/// \endcode
void wait_for(const announcement& a) noexcept;

}  // namespace nopal::detail
