// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/platform/hook.hpp"

#ifdef NOPAL_HOOKS
std::atomic<nopal::detail::hook_function> nopal::detail::hook_slot{nullptr};
#endif
