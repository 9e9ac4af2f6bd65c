// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"

namespace nopal_test {

inline constexpr bool with_asan = NOPAL_ASAN != 0;
inline constexpr bool with_tsan = NOPAL_TSAN != 0;
inline constexpr bool with_sanitizer = with_asan || with_tsan;
#ifdef NOPAL_CHECK
inline constexpr bool with_check = true;
#else
inline constexpr bool with_check = false;
#endif
#ifdef NOPAL_TEST_EMULATED
inline constexpr bool with_emulator = true;
#else
inline constexpr bool with_emulator = false;
#endif

/// The work of a stress test is divided by this number: under a sanitizer, which makes everything
/// slow, and in all builds except those of ./run check --all, which alone does all of it.
#ifdef NOPAL_TEST_SMALL
inline constexpr unsigned work_divisor = with_tsan ? 40 : with_asan ? 20 : 5;
#else
inline constexpr unsigned work_divisor = with_tsan ? 40 : with_asan ? 20 : 1;
#endif

}  // namespace nopal_test
