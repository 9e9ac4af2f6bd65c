// SPDX-License-Identifier: Apache-2.0
#ifdef NOPAL_CHECK

#include "nopal/detail/fork/checked_frame.hpp"

#include <array>
#include <cstdio>
#include <cstring>
#include <exception>
#if NOPAL_ASAN
#include <sanitizer/asan_interface.h>
#endif

#include "nopal/detail/strand/strand.hpp"
#include "nopal/detail/strand/worker.hpp"
#include "platform/message.hpp"
#include "strand/stack.hpp"

namespace nopal::detail {
namespace {

/// Ends the program for a wrong use of a fork_frame, and says where the frame was declared.
[[noreturn]] void wrong_frame(const std::source_location& at, const char* what) noexcept {
  std::array<char, 1024> message;
  std::snprintf(message.data(), message.size(), "the fork_frame declared at %s:%u, in %s, %s",
                at.file_name(), at.line(), at.function_name(), what);
  misuse(message.data());
}

}  // namespace

void checked_frame::check_place([[maybe_unused]] const void* end,
                                [[maybe_unused]] const void* sp) noexcept {
  begins_ = this;
#if !NOPAL_ASAN  // AddressSanitizer may keep local variables elsewhere
  // A function that a thief goes on with has its stack pointer on another stack.
  if (this_worker() != nullptr && !current_stack()->holds(function_)) return;
  begins_ = sp;
  if (this < sp || this >= end)
    wrong_frame(declared_,
                "is not a local variable of that function but lies on the heap, in a coroutine or "
                "in another object. A thief goes on in the stack frame of the function that "
                "forks: make the fork_frame a local variable of a plain function");
#endif
}

/// Returns a place here for the result. The variable keeps its value if the child throws.
void* checked_frame::keep_here(void* variable, std::size_t bytes) noexcept {
  if (count_ == results_.size()) return variable;
  kept_result& r = results_[count_];
  r = {variable, bytes, 0};
  const void* now = variable;
  for (std::size_t i = 0; i < count_; ++i)
    if (results_[i].variable == variable) now = &results_[i].value;
  std::memcpy(&r.value, now, bytes);
  ++count_;
  return &r.value;
}

void checked_frame::hide(const void* place, bool ended) noexcept {
  constexpr int no_result = 0xdb;
  if (!ended || count_ == 0 || place != &results_[count_ - 1].value) return;
  kept_result& r = results_[count_ - 1];
#if NOPAL_ASAN
  __asan_unpoison_memory_region(r.variable, r.bytes);
#endif
  std::memset(r.variable, no_result, r.bytes);
#if NOPAL_ASAN
  __asan_poison_memory_region(r.variable, r.bytes);
#endif
}

void checked_frame::hand_out_results() noexcept {
  for (std::size_t i = 0; i < count_; ++i) {
    const kept_result& r = results_[i];
#if NOPAL_ASAN
    __asan_unpoison_memory_region(r.variable, r.bytes);
#endif
    std::memcpy(r.variable, &r.value, r.bytes);
  }
  count_ = 0;
  local_result_ = false;
}

void checked_frame::ends_without_join() const noexcept {
  if (std::uncaught_exceptions() > 0) return;  // an exception leaves the function before its join
  wrong_frame(declared_,
              "ends without join(), though a forked call has a result for a local variable of that "
              "function, which is there after join() only. Call join() before the result is read");
}

void checked_frame::used_by_another_function() const noexcept {
  wrong_frame(declared_,
              "is used by another function. A thief goes on in the stack frame of the function "
              "that forks, so only the function that declares a fork_frame may fork and join with "
              "it: do not pass it on; give the other function a fork_frame of its own");
}

}  // namespace nopal::detail

#endif
