// SPDX-License-Identifier: Apache-2.0
// The plugin calls these for arrays of variable length and alloca() in functions that spawn.
#pragma once

#include <cstddef>

/// Returns memory for a variable, which becomes the newest of the function's list. If there is no
/// memory, the program ends with a message, as it would if the stack overflowed.
extern "C" void* nopal_cilk_allocate(void** newest, std::size_t bytes, std::size_t align) noexcept;

/// Frees the list's variables that are newer than `end`.
extern "C" void nopal_cilk_free_until(void** newest, void* end) noexcept;
