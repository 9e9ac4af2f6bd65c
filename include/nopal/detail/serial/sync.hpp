// SPDX-License-Identifier: Apache-2.0
// The serial elision of nopal/sync.hpp. Nobody is there to end a wait: one without a deadline
// throws std::system_error with std::errc::resource_deadlock_would_occur, and one with a deadline
// sleeps until then.
#pragma once

#include "nopal/detail/serial/sync/channel.hpp"
#include "nopal/detail/serial/sync/condition.hpp"
#include "nopal/detail/serial/sync/counters.hpp"
#include "nopal/detail/serial/sync/locks.hpp"
#include "nopal/detail/serial/sync/once.hpp"
#include "nopal/detail/serial/sync/select.hpp"
#include "nopal/wait/limits.hpp"
#include "nopal/wait/stopped.hpp"
