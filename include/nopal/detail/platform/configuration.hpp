// SPDX-License-Identifier: Apache-2.0
// A program whose headers and whose library were compiled for different configurations does not
// link, and the error names what the program was compiled for, such as
//
//   undefined reference to `nopal_configured_for__0_1__deque_asymmetric__join_waitfree__asan'
//
// All that changes a type or a protocol which headers and library share is part of the name, and so
// the version is too. The C++ standard library is part of it because its types cross the boundary:
// libc++ has other ones than libstdc++, and libstdc++ has other ones in its debug mode
// (_GLIBCXX_DEBUG) and by its old ABI. Versions of libstdc++ with the same ABI are one library, as
// its authors promise.
#pragma once

#include <version>  // says which library this is

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/configured_deque.hpp"
#include "nopal/detail/platform/configured_join.hpp"

#define NOPAL_CONFIGURED_VERSION 0_1

#ifdef NOPAL_COUNT_FORKS
#define NOPAL_CONFIGURED_COUNT __count_forks
#else
#define NOPAL_CONFIGURED_COUNT
#endif

#ifdef NOPAL_CHECK
#define NOPAL_CONFIGURED_CHECK __check
#else
#define NOPAL_CONFIGURED_CHECK
#endif

#if NOPAL_ASAN
#define NOPAL_CONFIGURED_SANITIZER __asan
#elif NOPAL_TSAN
#define NOPAL_CONFIGURED_SANITIZER __tsan
#else
#define NOPAL_CONFIGURED_SANITIZER
#endif

#ifdef _LIBCPP_VERSION
#define NOPAL_CONFIGURED_LIBRARY __libcxx
#elif defined(_GLIBCXX_DEBUG)
#define NOPAL_CONFIGURED_LIBRARY __glibcxx_debug
#else
#define NOPAL_CONFIGURED_LIBRARY
#endif

#if defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define NOPAL_CONFIGURED_ABI __old_abi
#else
#define NOPAL_CONFIGURED_ABI
#endif

#define NOPAL_JOINED_(a, b, c, d, e, f, g, h, i) a##b##c##d##e##f##g##h##i
#define NOPAL_JOINED(...) NOPAL_JOINED_(__VA_ARGS__)
#define NOPAL_CONFIGURED(prefix)                                                                \
  NOPAL_JOINED(prefix, NOPAL_CONFIGURED_VERSION, NOPAL_CONFIGURED_DEQUE, NOPAL_CONFIGURED_JOIN, \
               NOPAL_CONFIGURED_COUNT, NOPAL_CONFIGURED_CHECK, NOPAL_CONFIGURED_SANITIZER,      \
               NOPAL_CONFIGURED_LIBRARY, NOPAL_CONFIGURED_ABI)

extern "C" {
extern const char NOPAL_CONFIGURED(nopal_configured_for__);
}

// The serial elision needs no library.
#ifndef NOPAL_SERIAL
namespace nopal::detail {
/// The reference: one word in a program, which nobody reads. Its name differs with the
/// configuration as well, so that the linker keeps one for each that it finds.
[[gnu::used, gnu::retain, gnu::visibility("hidden")]] inline const char* const NOPAL_CONFIGURED(
    needs__) = &NOPAL_CONFIGURED(nopal_configured_for__);
}  // namespace nopal::detail
#endif
