// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/event.hpp"

/// The steps of waits that several events can end.
namespace nopal::detail::wait_events {

/// The thread of the timers is about to look which of them are due.
struct looking : event {};

/// An event has decided for a wait, and has not done its part yet. The thread may have the lock of
/// the object that is waited for.
struct decided : event {};

/// An event has done its part, and is about to let whoever waits go on.
struct completing : event {};

/// Whoever waits is about to make its waiter known to the decision.
struct announcing : event {};

using all = event_list<looking, decided, completing, announcing>;

}  // namespace nopal::detail::wait_events
