// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/fork_frame.hpp"

namespace nopal_test {

/// Whether what is stolen of a fork_frame is its children.
#ifdef NOPAL_FORK_CHILD
inline constexpr bool steals_children = true;
#else
inline constexpr bool steals_children = false;
#endif

}  // namespace nopal_test
