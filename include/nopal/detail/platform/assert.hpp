// SPDX-License-Identifier: Apache-2.0
// NOPAL_ASSERT(condition): an invariant, at the line that rests on it.
//
// It is checked if NDEBUG is not defined, and otherwise not even evaluated. Translation units that
// differ in NDEBUG may be linked into one program, and with a library built either way: an
// assertion changes no type and no protocol, so that of two copies of an inline function, one with
// its assertions and one without, the linker may keep either.
#pragma once

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// Ends the process with one message that says which condition does not hold, where, and on which
/// thread: workers are named nopal-0, nopal-1, and so on.
[[noreturn, gnu::cold]] NOPAL_NOINLINE void assertion_failed(const char* condition,
                                                             const char* file, int line) noexcept;

}  // namespace nopal::detail

#ifdef NDEBUG
#define NOPAL_ASSERT(...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 0))
#else
#define NOPAL_ASSERT(...)               \
  ((__VA_ARGS__) ? static_cast<void>(0) \
                 : ::nopal::detail::assertion_failed(#__VA_ARGS__, __FILE__, __LINE__))
#endif
