// SPDX-License-Identifier: Apache-2.0
// NOPAL_ASSERT(condition): an invariant, at the line that rests on it.
//
// It is checked in a checking build (NOPAL_CHECK) and in one with a sanitizer, and otherwise not
// even evaluated. NDEBUG does not matter: a program that is compiled without it, as most are, pays
// for the checks of its own code and not for those of nopal. All of a program agrees about
// assertions, because it agrees about NOPAL_CHECK and the sanitizer; see configuration.hpp.
#pragma once

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// Ends the process with one message that says which condition does not hold, where, and on which
/// thread: workers are named nopal-0, nopal-1, and so on.
[[noreturn, gnu::cold]] NOPAL_NOINLINE void assertion_failed(const char* condition,
                                                             const char* file, int line) noexcept;

}  // namespace nopal::detail

#if defined(NOPAL_CHECK) || NOPAL_ASAN || NOPAL_TSAN
#define NOPAL_ASSERTIONS 1
#define NOPAL_ASSERT(...)               \
  ((__VA_ARGS__) ? static_cast<void>(0) \
                 : ::nopal::detail::assertion_failed(#__VA_ARGS__, __FILE__, __LINE__))
#else
#define NOPAL_ASSERTIONS 0
#define NOPAL_ASSERT(...) static_cast<void>(sizeof((__VA_ARGS__) ? 1 : 0))
#endif
