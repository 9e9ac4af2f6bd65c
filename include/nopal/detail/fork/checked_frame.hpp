// SPDX-License-Identifier: Apache-2.0
// What a checking build asks of each fork_frame. docs/guide.md, "The checking build".
#pragma once

#include <source_location>

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// A feature of processors that no compiler uses unasked. NOPAL_FORKS asks for it, and compilers
/// refuse to inline a function with it into one without.
#if defined(__x86_64__)
#define NOPAL_MARK_OF_FORKS "hreset"
#elif defined(__aarch64__)
#define NOPAL_MARK_OF_FORKS "+tme"
#endif

struct declaration_of_frame {
  std::source_location at;
};

/// A default argument of fork_frame's constructor, and so a part of the function that declares the
/// frame. Its name is all that compilers say where that function lacks the mark.
__attribute__((always_inline, target(NOPAL_MARK_OF_FORKS))) inline declaration_of_frame
this_function_must_be_marked_NOPAL_FORKS(std::source_location at) noexcept {
  return {at};
}

/// Lies in each fork_frame, and ends the process with a message if that is no local variable, or is
/// used by another function than its own.
class checked_frame {
 public:
  NOPAL_ALWAYS_INLINE explicit checked_frame(declaration_of_frame d) noexcept
      : declared_(d.at), function_(__builtin_frame_address(0)) {
    check_place(__builtin_dwarf_cfa(), stack_pointer());
  }

  /// In fork(), join(), and the end of the frame.
  NOPAL_ALWAYS_INLINE void used() const noexcept {
    if (__builtin_frame_address(0) != function_) [[unlikely]]
      used_by_another_function();
  }

 private:
  NOPAL_ALWAYS_INLINE static void* stack_pointer() noexcept {
    void* sp;
#if defined(__x86_64__)
    asm volatile("movq %%rsp, %0" : "=r"(sp));
#elif defined(__aarch64__)
    asm volatile("mov %0, sp" : "=r"(sp));
#endif
    return sp;
  }

  /// \param end  of the stack frame of the function that this is inlined into; it begins at `sp`,
  /// unless the function runs on the stack of a thief.
  void check_place(const void* end, const void* sp) const noexcept;
  [[noreturn, gnu::cold]] void used_by_another_function() const noexcept;

  std::source_location declared_;
  const void* function_;  ///< Known by its stack frame.
};

}  // namespace nopal::detail
