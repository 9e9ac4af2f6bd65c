// SPDX-License-Identifier: Apache-2.0
// Makes calls without waiting.
#pragma once

#include "nopal/detail/io/request.hpp"

namespace nopal::detail {

/// Makes the call of `r` if it need not wait. Returns whether its result is there. If not,
/// r.events and r.needs_thread say what comes next, and nothing has been transferred.
bool attempt(io_request& r) noexcept;

/// Makes the first attempt, unless it is in vain by all that is known; r.events say then what comes
/// next.
bool attempt_unless_vain(io_request& r) noexcept;

/// Makes the call of `r` on a helper thread, which may wait. Returns whether its result is there.
bool attempt_on_thread(io_request& r) noexcept;

}  // namespace nopal::detail
