// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

namespace nopal::detail {

/// Starts a thread that runs f(argument) for nopal. It may run on all CPUs of the program, and not
/// only on those of the thread that starts it. It blocks signals. Returns 0 or the error number.
int start_service_thread(pthread_t& started, void* (*f)(void*), void* argument) noexcept;

/// Such a thread calls this first.
/// \param name  what a debugger calls the thread, of at most 15 characters.
void become_service_thread(const char* name) noexcept;

}  // namespace nopal::detail
