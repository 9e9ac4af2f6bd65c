// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace nopal::detail {

/// Starts a thread that nobody joins and that runs f(argument), where the process may run and not
/// only the worker that starts it. Returns 0 or the error number.
int start_io_thread(void (*f)(void*) noexcept, void* argument) noexcept;

}  // namespace nopal::detail
