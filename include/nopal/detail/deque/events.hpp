// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/event.hpp"

namespace nopal::detail {
struct continuation;
}

/// The events of a deque. All deques emit the first four.
namespace nopal::detail::deque_events {

/// The fork: the owner has just made a continuation stealable. The child has not started yet.
struct pushed : event {
  const continuation* what;
};

/// The owner is about to pop the continuation that it pushed last, because the child has returned.
struct popping : event {};

/// The owner has lowered bottom and has not looked yet whether a thief wants the element.
struct popped_late : event {};

/// A thief has read top and bottom and is about to take the element. It happens up to twice in one
/// attempt: before the thief and the owner are put in order, and before it takes.
struct stealing : event {};

/// A thief has written down what it wants and has not asked the owner to look yet.
struct announcing : event {};

/// The owner, asked by a thief, has looked what is wanted and has not promised anything yet.
struct answering : event {};

/// A thief is about to fence, because it has waited for a promise in vain or does not wait.
struct fencing : event {};

using all = event_list<pushed, popping, popped_late, stealing, announcing, answering, fencing>;

}  // namespace nopal::detail::deque_events
