// SPDX-License-Identifier: Apache-2.0
// These functions tell the sanitizers and valgrind of stacks and of changes of stack. Without a
// sanitizer only valgrind is told, if its header is there; that costs a few instructions for each
// stack that is mapped.
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

/// Tells ThreadSanitizer and Valgrind of a stack that nopal has mapped. Its constructor calls this.
inline void create_fiber([[maybe_unused]] fiber& f) noexcept {
#if NOPAL_TSAN
  f.handle = __tsan_create_fiber(0);
#endif
#if NOPAL_VALGRIND
  // Otherwise valgrind would guess from jumps of the stack pointer, and be wrong.
  f.number = VALGRIND_STACK_REGISTER(f.low, static_cast<char*>(f.low) + f.bytes);
#endif
}

/// Tells ThreadSanitizer and Valgrind that a stack is to be unmapped. Its destructor calls this.
inline void destroy_fiber([[maybe_unused]] fiber& f) noexcept {
#if NOPAL_TSAN
  if (f.handle != nullptr) __tsan_destroy_fiber(f.handle);
  f.handle = nullptr;
#endif
#if NOPAL_VALGRIND
  VALGRIND_STACK_DEREGISTER(f.number);
#endif
}

/// Tells Memcheck that a strand goes on with the stack pointer `sp` on the empty stack that ends at
/// `end`, and may write above `sp`. Memcheck takes for dead what an earlier strand has left there.
/// Memcheck takes a red zone below `sp` for dead as well, since it marks what a growing stack
/// reaches a red zone ahead of the stack pointer.
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

/// Tells the sanitizers that the thread is about to switch from the stack `from` to `to`. Nothing
/// may come between this and the switch. `from` is nullptr if the stack left holds nothing any
/// more.
inline void before_switch([[maybe_unused]] fiber* from, [[maybe_unused]] fiber& to) noexcept {
#if NOPAL_ASAN
  __sanitizer_start_switch_fiber(from != nullptr ? &from->fake_stack : nullptr, to.low, to.bytes);
#endif
#if NOPAL_TSAN
  // ThreadSanitizer takes each stack for a thread of its own. So this adds one happens-before edge:
  // from what the thread did on the stack left to what it does on the other. The edges between
  // threads must come from the protocols.
  __tsan_switch_to_fiber(to.handle, 0);
#endif
}

/// Tells the sanitizers that the thread has just switched to the stack `at`. Nothing may come
/// between the switch and this. `fresh` says that nothing ran on that stack before.
inline void after_switch([[maybe_unused]] fiber& at, [[maybe_unused]] bool fresh) noexcept {
#if NOPAL_ASAN
  // The fake stack may be gone when this stack is next fresh.
  void* kept = std::exchange(at.fake_stack, nullptr);
  __sanitizer_finish_switch_fiber(fresh ? nullptr : kept, nullptr, nullptr);
#endif
}

/// Removes the marks that AddressSanitizer puts between locals from the strand's frames below `to`.
/// The last function that a strand calls before it leaves calls this: nothing returns to those
/// frames to remove the marks, and others will be built there.
NOPAL_ALWAYS_INLINE void forget_frames([[maybe_unused]] void* to) noexcept {
#if NOPAL_ASAN
  // The locals of this function lie below its frame address as well.
  constexpr std::size_t own_frame = 1024;
  char* from = static_cast<char*>(__builtin_frame_address(0)) - own_frame;
  __asan_unpoison_memory_region(from, static_cast<std::size_t>(static_cast<char*>(to) - from));
#endif
}

}  // namespace nopal::detail
