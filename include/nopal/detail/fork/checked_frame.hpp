// SPDX-License-Identifier: Apache-2.0
// A checking build asks this of each fork_frame. docs/reference.md, "Find misuse", describes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <type_traits>

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
/// frame. Its name is all that compilers say if that function lacks the mark.
__attribute__((always_inline, target(NOPAL_MARK_OF_FORKS))) inline declaration_of_frame
this_function_must_be_marked_NOPAL_FORKS(std::source_location at) noexcept {
  return {at};
}

/// The part of each fork_frame that ends the process with a message if the frame is no local
/// variable, is used by another function than its own, or ends without join() though a result has
/// been asked for.
///
/// A result that fits a word comes here first, and goes to its variable at the join. Once the child
/// has ended, and so cannot read the variable any more, the variable has a value that nobody takes
/// for a result, until the join. AddressSanitizer reports a read of it.
class checked_frame {
 public:
  NOPAL_ALWAYS_INLINE explicit checked_frame(declaration_of_frame d) noexcept
      : declared_(d.at), function_(__builtin_frame_address(0)) {
    check_place(__builtin_dwarf_cfa(), stack_pointer());
  }

  /// Returns where the child is to put its result. Called before a fork.
  template <class R>
  NOPAL_ALWAYS_INLINE R* place_for(R* result) noexcept {
    note_result(result, __builtin_dwarf_cfa());
    if constexpr (std::is_trivially_copyable_v<R> && sizeof(R) <= sizeof(std::uint64_t) &&
                  alignof(R) <= alignof(std::uint64_t))
      return static_cast<R*>(keep_here(result, sizeof(R)));
    else
      return result;
  }

  /// Lives from before place_for() until behind the fork: if the fork throws, there is no result to
  /// wait for.
  class fork_with_result {
   public:
    NOPAL_ALWAYS_INLINE explicit fork_with_result(checked_frame& f) noexcept
        : frame_(f), count_(f.count_), local_result_(f.local_result_) {}
    NOPAL_ALWAYS_INLINE ~fork_with_result() {
      if (returned) return;
      frame_.count_ = count_;
      frame_.local_result_ = local_result_;
    }
    fork_with_result(const fork_with_result&) = delete;
    fork_with_result& operator=(const fork_with_result&) = delete;

    bool returned = false;

   private:
    checked_frame& frame_;
    std::size_t count_;
    bool local_result_;
  };

  /// Hides the value of the variable whose result goes to `place`. Called behind the fork.
  /// \param ended  whether its child has ended.
  void hide(const void* place, bool ended) noexcept;

  /// Copies the results to their variables. Called when all children have ended.
  void hand_out_results() noexcept;

  /// Checks, at the end of the frame, that join() was called if a result was asked for.
  NOPAL_ALWAYS_INLINE void ends() const noexcept {
    if (local_result_) [[unlikely]]
      ends_without_join();
  }

  /// Checks that the frame's own function uses it. Called in fork(), in join(), and at the end of
  /// the frame.
  NOPAL_ALWAYS_INLINE void used() const noexcept {
    if (__builtin_frame_address(0) != function_) [[unlikely]]
      used_by_another_function();
  }

 private:
  /// Returns the stack pointer of the function that this is inlined into.
  NOPAL_ALWAYS_INLINE static void* stack_pointer() noexcept {
    void* sp;
#if defined(__x86_64__)
    asm volatile("movq %%rsp, %0" : "=r"(sp));
#elif defined(__aarch64__)
    asm volatile("mov %0, sp" : "=r"(sp));
#endif
    return sp;
  }

  /// \param end  the end of the stack frame of the function that this is inlined into. The stack
  /// frame begins at `sp`, unless the function runs on the stack of a thief.
  void check_place(const void* end, const void* sp) noexcept;
  void note_result(const void* result, const void* end) noexcept {
    local_result_ = local_result_ || (result >= begins_ && result < end);
  }
  void* keep_here(void* result, std::size_t bytes) noexcept;
  void ends_without_join() const noexcept;
  [[noreturn, gnu::cold]] void used_by_another_function() const noexcept;

  /// A result on its way.
  struct kept_result {
    void* variable;
    std::size_t bytes;
    std::uint64_t value;
  };

  std::source_location declared_;
  const void* function_;  ///< The frame's function, known by its stack frame.
  const void* begins_;    ///< The beginning of that stack frame; if it is not known, this.
  /// Whether a result has been asked for there since the last join.
  bool local_result_ = false;
  std::size_t count_ = 0;
  std::array<kept_result, 4> results_;  ///< The first results since the last join.
};

}  // namespace nopal::detail
