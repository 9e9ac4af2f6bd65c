// SPDX-License-Identifier: Apache-2.0
// Makes calls without waiting.
#pragma once

#include "nopal/detail/io/request.hpp"

namespace nopal::detail {

/// Makes the call of `r` if it need not wait. Returns whether its result is there. If not,
/// r.events and r.needs_thread say what comes next, and nothing has been transferred. Whoever
/// serves events calls this, after one that `r` waits for.
bool attempt(io_request& r) noexcept;

/// Does what attempt() does, at the beginning of a call. Makes no attempt if the descriptor's
/// latest calls have all had to wait: this one probably has to wait as well.
bool attempt_unless_vain(io_request& r) noexcept;

/// Makes the call of `r` on a helper thread, which may wait. Returns whether its result is there;
/// if not, the call waits for events.
bool attempt_on_thread(io_request& r) noexcept;

}  // namespace nopal::detail
