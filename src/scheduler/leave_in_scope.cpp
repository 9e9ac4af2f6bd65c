// SPDX-License-Identifier: Apache-2.0
// Forks in a scope that are left to all workers. Each scope has a list of its own, of which one
// entry is in the inbox while it is not empty. Any worker adds to the list. Only the one that has
// taken the entry from the inbox takes from it, so a compare-and-swap cannot be misled by an
// element that has come back.
#include "scheduler/leave_in_scope.hpp"

#include <utility>

#include "nopal/detail/platform/assert.hpp"
#include "scheduler/scheduler.hpp"
#include "scheduler/scheduler_worker.hpp"

namespace nopal::detail {
namespace {

/// Takes one from the list. Returns it, and whether others are left. If none is, the next one that
/// is added puts the entry into the inbox again.
std::pair<continuation*, bool> take(left_forks& left) noexcept {
  // The acquires pair with the release in leave_in_scope(). The release pairs with the acquire
  // there: whoever puts the entry into the inbox next may write it.
  continuation* newest = left.newest.load(std::memory_order_acquire);
  NOPAL_ASSERT(newest != nullptr);  // else the entry would not be in the inbox
  while (!left.newest.compare_exchange_weak(newest, newest->next, std::memory_order_acq_rel,
                                            std::memory_order_acquire)) {
  }
  return {newest, newest->next != nullptr};
}

/// A worker that has taken the entry from the inbox runs this, as its continuation.
void run_one(continuation& c, worker& w) noexcept {
  auto& left = static_cast<left_forks&>(c);
  stop_scope* const scope = left.of;
  auto& here = static_cast<scheduler_worker&>(w);
  const auto [one, more] = take(left);
  if (more) here.belongs_to->submit(left);
  here.begins_in = scope;  // which is there until `one` has been joined
  one->run_on(w);
}

}  // namespace

continuation* leave_in_scope(stop_scope& scope, continuation& c) noexcept {
  left_forks& left = scope.left;
  continuation* newest = left.newest.load(std::memory_order_relaxed);
  do {
    c.next = newest;
    // The release pairs with the acquires in take(), and the acquire with the release there.
  } while (!left.newest.compare_exchange_weak(newest, &c, std::memory_order_acq_rel,
                                              std::memory_order_relaxed));
  if (newest != nullptr) return nullptr;
  left.run_by(run_one);
  return &left;
}

}  // namespace nopal::detail
