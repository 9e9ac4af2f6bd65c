// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef NOPAL_HOOKS
#include <atomic>
#endif

namespace nopal::detail {

/// The steps of the protocols at which a test can interfere: delay the thread, or switch to another
/// virtual worker.
enum class step {
  pushed,       ///< A continuation has just become stealable; its child has not started yet.
  popping,      ///< The owner is about to pop.
  popped_late,  ///< The owner lowered bottom and has not looked yet whether a thief wants the
                ///< element.
  stealing,     ///< A thief has read top and bottom and not claimed yet.
  announcing,   ///< It has written down what it wants, and the owner is not asked to look yet.
  answering,    ///< The owner has looked, and has not promised anything yet.
  fencing,      ///< A thief has waited in vain for a promise, or does not, and is about to fence.
  stolen,       ///< A thief owns a continuation and has not run it yet.
  arriving,     ///< About to announce an arrival at a join.
  arrived,      ///< Announced, and not the last.
  suspending,   ///< A strand left its stack and has not announced yet.
  offering,  ///< The last to arrive is about to offer a strand to the worker that left its stack.
  resuming,  ///< About to switch to a suspended strand.
  backing_off,   ///< A thief would wait before it steals again.
  searching,     ///< One round of search found nothing.
  parking,       ///< About to sleep in the kernel.
  submitting,    ///< About to wake a worker for a submission.
  reclaiming,    ///< About to give pages back or to hand a stack on.
  forks,         ///< A function that forks has been entered; see NOPAL_SHOW_FORKING.
  has_forked,    ///< It is left, maybe on another thread.
  pool_putting,  ///< A producer has stored a task and not looked yet whether a consumer sleeps.
  pool_looked,   ///< A consumer has found a task in the chunk that it owns and not stored the index
                 ///< yet.
  pool_taking,   ///< It stored the index and has not looked at the owner again.
  pool_marking,  ///< It is still the owner and has not marked the slot yet.
  pool_moving,   ///< A consumer has marked a slot and not moved its task out yet.
  pool_stealing,  ///< A thief has chosen a chunk and not become its owner yet.
  pool_stolen,    ///< It has, and its node has no index yet.
  pool_settled,   ///< Its node has an index, and it has not taken the first task yet.
  pool_retiring,  ///< A consumer has taken the last task of a chunk and not given the chunk up yet.
  pool_checking,  ///< A consumer that found nothing is about to look through all pools.
  pool_looking,   ///< It is about to look into the next of them.
  pool_swapping,  ///< About to execute a compare-and-swap that none of the steps above announces.
};

#ifdef NOPAL_HOOKS
/// Returns true where the step must not be carried out for real (only parking and backing_off ask).
using hook_function = bool (*)(step);
extern std::atomic<hook_function> hook_slot;

inline bool hook(step at) {
  hook_function f = hook_slot.load(
      std::memory_order_acquire);  // pairs with the release store of the test that sets it
  return f != nullptr && f(at);
}
#else
constexpr bool hook(step) noexcept { return false; }
#endif

#ifdef NOPAL_HOOKS_AT_FUNCTIONS
/// Lives as long as a function forks.
class forking {
 public:
  forking() noexcept { hook(step::forks); }
  ~forking() { hook(step::has_forked); }
  forking(const forking&) = delete;
  forking& operator=(const forking&) = delete;
};

/// Shows the steps of a function that forks. Only where asked for: calls at both ends of a function
/// would keep the optimizer from what it does to users' functions, which the adversary is there to
/// find. And nothing at all elsewhere: with an empty object in the frame bench's fork_price was 2.7
/// instead of 2.2.
#define NOPAL_SHOW_FORKING const ::nopal::detail::forking shown_as_forking;
#else
#define NOPAL_SHOW_FORKING
#endif

}  // namespace nopal::detail
