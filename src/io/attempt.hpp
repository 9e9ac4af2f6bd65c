// SPDX-License-Identifier: Apache-2.0
// How a call is made without waiting.
#pragma once

#include "nopal/detail/io/request.hpp"

namespace nopal::detail {

/// Makes the call of `r` if it need not wait. Returns whether its result is there. If not,
/// r.events and r.needs_thread say what comes next, and nothing has been transferred.
bool attempt(io_request& r) noexcept;

/// The first attempt, left out if it is in vain by all that is known; r.events say then what comes
/// next.
bool attempt_unless_vain(io_request& r) noexcept;

/// The same by a helper thread, which may wait.
bool attempt_on_thread(io_request& r) noexcept;

}  // namespace nopal::detail
