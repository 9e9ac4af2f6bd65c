// SPDX-License-Identifier: Apache-2.0
#ifdef NOPAL_CHECK

#include "nopal/detail/fork/checked_frame.hpp"

#include <array>
#include <cstdio>

#include "nopal/detail/strand/strand.hpp"
#include "nopal/detail/strand/worker.hpp"
#include "platform/message.hpp"
#include "strand/stack.hpp"

namespace nopal::detail {
namespace {

[[noreturn]] void wrong_frame(const std::source_location& at, const char* what) noexcept {
  std::array<char, 1024> message;
  std::snprintf(message.data(), message.size(), "the fork_frame declared at %s:%u, in %s, %s",
                at.file_name(), at.line(), at.function_name(), what);
  broken_invariant(message.data());
}

}  // namespace

void checked_frame::check_place([[maybe_unused]] const void* end,
                                [[maybe_unused]] const void* sp) const noexcept {
#if !NOPAL_ASAN  // which may keep local variables elsewhere
  // A function that a thief goes on with has its stack pointer on another stack.
  if (this_worker() != nullptr && !current_stack()->holds(function_)) return;
  if (this < sp || this >= end)
    wrong_frame(declared_,
                "is not a local variable of that function but lies on the heap, in a coroutine or "
                "in another object. A thief goes on in the stack frame of the function that "
                "forks: make the fork_frame a local variable of a plain function");
#endif
}

void checked_frame::used_by_another_function() const noexcept {
  wrong_frame(declared_,
              "is used by another function. A thief goes on in the stack frame of the function "
              "that forks, so only the function that declares a fork_frame may fork and join with "
              "it: do not pass it on; give the other function a fork_frame of its own");
}

}  // namespace nopal::detail

#endif
