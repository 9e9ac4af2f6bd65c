// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "nopal/detail/platform/context.hpp"
#include "nopal/detail/strand/strand.hpp"
#include "nopal/detail/strand/worker.hpp"
#include "platform/process_generation.hpp"
#include "strand/fiber.hpp"
#include "strand/stack_cache.hpp"
#include "strand/worker_counts.hpp"

namespace nopal::detail {

class stack_supply;

/// What strands need of the worker that runs them: its scheduler stack, and the stacks that it has.
/// Only the worker's own thread touches it, except for the cache of stacks and the counters.
///
/// The own stack of its thread is the scheduler stack: neutral ground, from which a strand's stack
/// can be handed on, given back to the kernel or freed while nothing runs on it. At any time the
/// thread is either there, or on the stack `current` of a strand.
struct strand_worker : worker {
  strand_worker(stack_supply& s, unsigned i)
      : worker(i), supply(&s), generation(process_generation()) {}

  stack_supply* supply;
  unsigned generation;  ///< The generation of the process: its depth in children of fork(2).

  context scheduler_context;
  fiber scheduler_fiber;
  fp_control scheduler_fp{};  ///< Control words of the scheduler stack.
  stack* current = nullptr;  ///< The stack of the strand that runs; nullptr on the scheduler stack.
  stack* spare = nullptr;    ///< An empty stack for the next strand.
  bool refused = false;      ///< Whether the worker got no stack when it last needed one.
  /// What the strand that left `current` wants done. Read only when a strand has left.
  departure leaving{};
  /// Whether the strand switched to last has yet to call strand_continued().
  bool in_middle = false;
  /// The scope of the fork that this worker has stolen, or taken for a strand that has left it, and
  /// is about to begin; else nullptr.
  stop_scope* begins_in = nullptr;

  /// The number of the guest's call that the strand of this worker is a part of, if that is known,
  /// else 0. A thief takes it over from its victim, and a strand that stops keeps it in its stack.
  /// It is a hint: a guest steals from those alone that have the number of its own call.
  std::atomic<std::uint64_t> call{0};

  /// `current`, for thieves that have to see what its strand sees. Only a stack_strategy needs it.
  std::atomic<const stack*> published{nullptr};
  /// Publishes `current` before the strand pushes anything. Whoever sees something pushed sees
  /// this, by the acquire load of bottom in the deque's steal().
  void publish_current() noexcept { published.store(current, std::memory_order_relaxed); }

  stack_cache cache;
  /// The workers whose caches it looks into, by index, in this order.
  std::vector<unsigned> nearest;
  strand_worker* next_guest = nullptr;  ///< The next in the list of its stack_supply.

  worker_counts count;
};

inline strand_worker& this_strand_worker() noexcept {
  return static_cast<strand_worker&>(*this_worker());
}

/// Whether the calling thread is a worker of a runtime that runs in this process. In a child of
/// fork(2) that a strand has made it is not: that strand goes on alone, and what it does counts as
/// done by a thread that is no worker.
inline bool is_on_worker_of_this_process() noexcept {
  const worker* w = this_worker();
  return w != nullptr && static_cast<const strand_worker*>(w)->generation == process_generation();
}

/// Makes the calling thread run the code of `w`. The threads of workers call this, and tests that
/// run several workers on one thread.
void become_worker(strand_worker& w,
                   exception_state* of_thread = exception_state::of_this_thread()) noexcept;

/// Makes what the calling thread runs now on `s`, its own stack, a strand of `w`, its worker.
void begin_in_place(strand_worker& w, stack& s) noexcept;

/// Ends that strand where it is: the thread goes on without one.
void end_in_place(strand_worker& w) noexcept;

/// Makes the calling thread no worker any more.
void resign_worker() noexcept;

/// Leaves the current stack as suspend_strand() does. If the strand goes on on a thread that is no
/// worker, as it does in leave_default_runtime(), the caller completes the switch there.
void leave_worker(suspension& s, const departure& d) noexcept;

}  // namespace nopal::detail
