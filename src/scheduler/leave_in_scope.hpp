// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/strand/stop_scope.hpp"

namespace nopal::detail {

/// Leaves `c`, which a strand in `scope` has forked, to be begun in that scope. Returns what the
/// caller puts into the inbox for it, or nullptr: what is there already begins `c` too.
continuation* leave_in_scope(stop_scope& scope, continuation& c) noexcept;

}  // namespace nopal::detail
