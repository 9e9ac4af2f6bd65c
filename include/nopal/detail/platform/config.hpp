// SPDX-License-Identifier: Apache-2.0
#pragma once

// These are what nopal cannot be compiled by or for. The include of a file that does not exist ends
// the compilation, since hundreds of other errors would follow.
#if !defined(__x86_64__) && !defined(__aarch64__)
#error "nopal: only x86-64 and aarch64 are supported."
#include "nopal: see the error above"
#elif !defined(__linux__)
#error "nopal: only Linux is supported."
#include "nopal: see the error above"
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "nopal: g++ 12 or later is needed."
#include "nopal: see the error above"
#elif __cplusplus < 202002L
#error "nopal: C++20 is needed; compile with -std=c++20 or a later standard."
#include "nopal: see the error above"
#elif !defined(__cpp_exceptions)
#error "nopal: exceptions are needed; compile without -fno-exceptions."
#include "nopal: see the error above"
#endif

// A checking build counts forks, to see whether a worker gets on.
#if defined(NOPAL_CHECK) && !defined(NOPAL_COUNT_FORKS)
#define NOPAL_COUNT_FORKS 1
#endif

#define NOPAL_ALWAYS_INLINE [[gnu::always_inline]] inline
#define NOPAL_NOINLINE [[gnu::noinline]]
/// Each variable of a header that may have an address has this. g++ would otherwise make it unique
/// in the process, and glibc never unloads a plugin that has a unique symbol. No address is
/// compared.
#define NOPAL_HIDDEN [[gnu::visibility("hidden")]]

#if defined(__SANITIZE_ADDRESS__)
#define NOPAL_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NOPAL_ASAN 1
#endif
#endif
#ifndef NOPAL_ASAN
#define NOPAL_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__)
#define NOPAL_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NOPAL_TSAN 1
#endif
#endif
#ifndef NOPAL_TSAN
#define NOPAL_TSAN 0
#endif

#if defined(__clang__) && defined(__has_feature)
#if __has_feature(undefined_behavior_sanitizer)
#define NOPAL_CLANG_UBSAN 1
#endif
#endif
#ifndef NOPAL_CLANG_UBSAN
#define NOPAL_CLANG_UBSAN 0
#endif

namespace nopal::detail {

/// Returns &object, computed here. Compilers otherwise compute the address of a local once and keep
/// it in a register that calls preserve, which every function on the fork path must then save.
template <class T>
NOPAL_ALWAYS_INLINE T* address_now(T& object) noexcept {
#if defined(__x86_64__)
  T* p;
  asm volatile("leaq %1, %0" : "=r"(p) : "m"(object));
#else
  T* p = &object;
  asm("" : "+r"(p));
#endif
  return p;
}

/// Has the object read from memory after this. If it stayed in a register that calls preserve, that
/// register would have to be saved.
template <class T>
NOPAL_ALWAYS_INLINE void in_memory(T& object) noexcept {
  asm("" : "+m"(object));
}

/// Calls f(), by a function that saves all general registers if the compiler has such a convention.
/// This is for the unlikely paths of a function so short that it would otherwise save registers for
/// them each time. The name differs by compiler, since one program may hold code of two.
// clang++ 16 restores the register of the result as well, so that there is no result; 17 and 18
// have not been tried.
#if defined(__clang__) && __clang_major__ >= 19
template <class F>
__attribute__((noinline, preserve_most, abi_tag("keeps_registers"))) inline auto keeping_registers(
    F f) noexcept {
  return f();
}
#else
template <class F>
NOPAL_ALWAYS_INLINE auto keeping_registers(F f) noexcept {
  return f();
}
#endif

/// Two cache lines: adjacent-line prefetch pairs them.
inline constexpr unsigned cache_line = 128;

}  // namespace nopal::detail
