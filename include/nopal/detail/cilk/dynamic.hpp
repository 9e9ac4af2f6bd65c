// SPDX-License-Identifier: Apache-2.0
// What the plugin calls for arrays of variable length and alloca() in functions that spawn.
#pragma once

#include <cstddef>

/// Memory for a variable, which becomes the newest of the function's list. Where there is none the
/// program ends with a message, as it would where the stack overflows.
extern "C" void* nopal_cilk_allocate(void** newest, std::size_t bytes, std::size_t align) noexcept;

/// Frees the list's variables that are newer than `end`.
extern "C" void nopal_cilk_free_until(void** newest, void* end) noexcept;
