// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/event.hpp"

/// The events of strands and their stacks. The first three are about the strand that they name.
namespace nopal::detail::strand_events {

/// A strand is about to begin on a fresh stack. It has been given its id.
struct beginning : event {};

/// A strand has left its stack, and its worker has not announced that yet.
struct suspending : event {
  bool ends;  ///< Nothing of its stack is in use any more. Otherwise somebody will resume it.
};

/// A worker is about to switch to a suspended strand.
struct resuming : event {};

/// A strand has come to a join or to its end, and the worker is about to announce its arrival.
struct arriving : event {};

/// The arrival has been announced. Unless it was the last, whatever joins may be gone by now.
struct arrived : event {
  bool last;  ///< Nobody else has yet to arrive, so this worker can go on behind the join.
};

/// The pages of a stack are about to be given back, or the stack is about to be handed on.
struct reclaiming : event {};

/// The pages of a stack below what is live go back to the kernel between these two. Pages of stacks
/// leave the memory at no other moment, except at the end of their runtime.
struct giving_back : event {};
struct gave_back : event {};

/// A strand has taken the views that others have left at a join, and is about to put them back.
struct leaving_views : event {};

using all = event_list<beginning, suspending, resuming, arriving, arrived, reclaiming, giving_back,
                       gave_back, leaving_views>;

}  // namespace nopal::detail::strand_events
