// SPDX-License-Identifier: Apache-2.0
// Tells the sanitizers of changes of stack; nothing in other builds.
#pragma once

#include <cstddef>

#include "nopal/detail/config.hpp"

#if NOPAL_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#if NOPAL_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace nopal::detail {

/// What the sanitizers know about a stack: one for each task stack and for each scheduler stack.
struct fiber {
  void* low = nullptr;  ///< Bounds, for AddressSanitizer.
  std::size_t bytes = 0;
#if NOPAL_ASAN
  void* fake_stack = nullptr;
#endif
#if NOPAL_TSAN
  void* handle = nullptr;
#endif
};

inline void create_fiber([[maybe_unused]] fiber& f) noexcept {
#if NOPAL_TSAN
  f.handle = __tsan_create_fiber(0);
#endif
}

inline void destroy_fiber([[maybe_unused]] fiber& f) noexcept {
#if NOPAL_TSAN
  if (f.handle != nullptr) __tsan_destroy_fiber(f.handle);
  f.handle = nullptr;
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
  // The one happens-before edge that this adds is from what the thread did on the stack left to what it does on the other:
  // to ThreadSanitizer each stack is a thread of its own. Those between threads must come from the protocols.
  __tsan_switch_to_fiber(to.handle, 0);
#endif
}

/// Immediately after a switch, on the stack arrived at. `fresh` where nothing ran there before.
inline void after_switch([[maybe_unused]] fiber& at, [[maybe_unused]] bool fresh) noexcept {
#if NOPAL_ASAN
  __sanitizer_finish_switch_fiber(fresh ? nullptr : at.fake_stack, nullptr, nullptr);
#endif
}

}  // namespace nopal::detail
