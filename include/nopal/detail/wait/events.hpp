// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/event.hpp"

/// The steps of waits that several events can end.
namespace nopal::detail::wait_events {

/// The thread of the timers is about to look which of them are due.
struct looking : event {};

using all = event_list<looking>;

}  // namespace nopal::detail::wait_events
