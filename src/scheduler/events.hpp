// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/event.hpp"

namespace nopal::detail {
struct continuation;
}

/// The events of workers that look for something to run.
namespace nopal::detail::scheduler_events {

/// A thief has stolen a continuation and has not run it yet.
struct stolen : event {
  const continuation* what;  ///< The continuation that was pushed.
  unsigned victim;           ///< The index of the worker that pushed it.
};

/// A thief would wait before it steals again. Whoever refuses makes it steal at once.
struct backing_off : event {
  using answer = bool;
};

/// A worker has searched one round and found nothing. Whoever refuses makes it search again at
/// once, so that it neither yields nor sleeps.
struct searching : event {
  using answer = bool;
};

/// A worker is about to sleep in the kernel. Whoever refuses makes it search again instead.
struct parking : event {
  using answer = bool;
};

/// A worker has slept in the kernel and searches again.
struct woken : event {};

/// Something is about to be put into an inbox, and a worker to be woken for it.
struct submitting : event {};

/// The last to arrive at a join is about to offer the strand to the worker that left its stack.
struct offering : event {};

/// A worker is leaving a scheduler. The event is emitted three times: before the worker hands over
/// what it has, before it stops to count as a searcher, and before it looks once more for
/// submissions.
struct moving : event {};

using all =
    event_list<stolen, backing_off, searching, parking, woken, submitting, offering, moving>;

}  // namespace nopal::detail::scheduler_events
