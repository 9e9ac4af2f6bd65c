// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/event.hpp"

/// The steps of locks and selects. Where nobody waits there are none.
namespace nopal::detail::sync_events {

/// A mutex was not free for whoever locks it, and the lock of its list is about to be taken.
struct beginning : event {};

/// Whoever unlocks a mutex has looked for one that waits, and has not changed the word yet. The
/// thread has the lock of the list.
struct passing : event {};

/// A select is about to take the locks of its channels, and to look and list under them.
struct selecting : event {};

/// A select has ended, and is about to take one of its other offers out of a list.
struct unlisting : event {};

using all = event_list<beginning, passing, selecting, unlisting>;

}  // namespace nopal::detail::sync_events
