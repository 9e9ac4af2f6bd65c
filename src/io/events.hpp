// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/event.hpp"

/// The events of calls that wait.
namespace nopal::detail::io_events {

/// A call would wait, and is about to be handed to the backend.
struct beginning : event {};

/// The backend is about to make a call that it was handed.
struct trying : event {};

/// A stop or a deadline is about to end a call.
struct refusing : event {};

/// A call has ended, and whoever waits for it is about to go on.
struct ended : event {};

using all = event_list<beginning, trying, refusing, ended>;

}  // namespace nopal::detail::io_events
