// SPDX-License-Identifier: Apache-2.0
// Tells the sanitizers and valgrind of stacks and of changes of stack. Without a sanitizer only
// valgrind is told, if its header is there: a few instructions for each stack that is mapped.
#pragma once

#include <cstddef>

#include "nopal/detail/platform/config.hpp"

#if NOPAL_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

#include <utility>
#endif
#if NOPAL_TSAN
#include <sanitizer/tsan_interface.h>
#endif

#if !NOPAL_ASAN && !NOPAL_TSAN && __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#define NOPAL_VALGRIND 1
#else
#define NOPAL_VALGRIND 0
#endif

namespace nopal::detail {

/// What these tools know about a stack: one for each strand's stack and for each scheduler stack.
struct fiber {
  void* low = nullptr;  ///< Bounds, for AddressSanitizer.
  std::size_t bytes = 0;
#if NOPAL_ASAN
  void* fake_stack = nullptr;
#endif
#if NOPAL_TSAN
  void* handle = nullptr;
#endif
#if NOPAL_VALGRIND
  unsigned number = 0;
#endif
};

inline void create_fiber([[maybe_unused]] fiber& f) noexcept {
#if NOPAL_TSAN
  f.handle = __tsan_create_fiber(0);
#endif
#if NOPAL_VALGRIND
  // Otherwise valgrind would guess from jumps of the stack pointer, and be wrong.
  f.number = VALGRIND_STACK_REGISTER(f.low, static_cast<char*>(f.low) + f.bytes);
#endif
}

inline void destroy_fiber([[maybe_unused]] fiber& f) noexcept {
#if NOPAL_TSAN
  if (f.handle != nullptr) __tsan_destroy_fiber(f.handle);
  f.handle = nullptr;
#endif
#if NOPAL_VALGRIND
  VALGRIND_STACK_DEREGISTER(f.number);
#endif
}

/// A strand goes on with the stack pointer `sp` on the empty stack that ends at `end`, and may
/// write above it. Memcheck takes for dead what a strand before it has left there, and below `sp`
/// as well: it marks what a growing stack reaches a red zone ahead of the stack pointer.
inline void expose_linkage([[maybe_unused]] void* sp, [[maybe_unused]] void* end) noexcept {
#if NOPAL_VALGRIND
  constexpr std::size_t red_zone = 128;
  char* from = static_cast<char*>(sp) - red_zone;
  VALGRIND_MAKE_MEM_UNDEFINED(from, static_cast<char*>(end) - from);
#endif
}

/// Makes `f` stand for the stack that the calling thread runs on.
inline void adopt_fiber([[maybe_unused]] fiber& f) noexcept {
#if NOPAL_TSAN
  f.handle = __tsan_get_current_fiber();
#endif
}

/// Immediately before a switch. `from` is nullptr where the stack left holds nothing any more.
inline void before_switch([[maybe_unused]] fiber* from, [[maybe_unused]] fiber& to) noexcept {
#if NOPAL_ASAN
  __sanitizer_start_switch_fiber(from != nullptr ? &from->fake_stack : nullptr, to.low, to.bytes);
#endif
#if NOPAL_TSAN
  // The one happens-before edge that this adds is from what the thread did on the stack left to
  // what it does on the other: to ThreadSanitizer each stack is a thread of its own. Those between
  // threads must come from the protocols.
  __tsan_switch_to_fiber(to.handle, 0);
#endif
}

/// Immediately after a switch, on the stack arrived at. `fresh` where nothing ran there before.
inline void after_switch([[maybe_unused]] fiber& at, [[maybe_unused]] bool fresh) noexcept {
#if NOPAL_ASAN
  void* kept =
      std::exchange(at.fake_stack, nullptr);  // it may be gone when this stack is next fresh
  __sanitizer_finish_switch_fiber(fresh ? nullptr : kept, nullptr, nullptr);
#endif
}

/// Before a strand leaves, in the last function that it calls: nothing returns to its frames below
/// `to`, which therefore stay marked as AddressSanitizer marks what lies between locals, while
/// others will be built there.
NOPAL_ALWAYS_INLINE void forget_frames([[maybe_unused]] void* to) noexcept {
#if NOPAL_ASAN
  // The locals of this function too lie below its frame address.
  constexpr std::size_t own_frame = 1024;
  char* from = static_cast<char*>(__builtin_frame_address(0)) - own_frame;
  __asan_unpoison_memory_region(from, static_cast<std::size_t>(static_cast<char*>(to) - from));
#endif
}

}  // namespace nopal::detail
