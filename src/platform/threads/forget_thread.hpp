// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <thread>

namespace nopal::detail {

/// Gives up the handle of a thread of the parent process, in a child of fork(2). The C library
/// gives the handle of such a thread to one that the child starts, so that a call with it, detach()
/// included, would act on that one.
inline void forget_thread(std::thread& t) noexcept { std::construct_at(&t); }

}  // namespace nopal::detail
