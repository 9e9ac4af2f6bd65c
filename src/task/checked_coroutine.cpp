// SPDX-License-Identifier: Apache-2.0
#ifdef NOPAL_CHECK

#include "nopal/detail/task/checked_coroutine.hpp"

#include <array>
#include <cstdio>

#include "platform/message.hpp"

namespace nopal::detail {
namespace {

/// Ends the program for a wrong use of a task's fork and join, and says where the task is.
[[noreturn]] void wrong_coroutine(const std::source_location& at, const char* what) noexcept {
  std::array<char, 1024> message;
  std::snprintf(message.data(), message.size(), "the task declared at %s:%u, in %s, %s",
                at.file_name(), at.line(), at.function_name(), what);
  misuse(message.data());
}

}  // namespace

/// FNV-1a.
std::uint64_t checked_coroutine::digest() const noexcept {
  std::uint64_t d = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < bytes_; ++i)
    d = (d ^ static_cast<const unsigned char*>(closure_)[i]) * 0x100000001b3;
  return d;
}

void checked_coroutine::closure_is_gone() const noexcept {
  wrong_coroutine(declared_,
                  "begins when the closure that it is a call of is gone, and with it all that the "
                  "closure has captured. Keep the closure in a variable that lives until the task "
                  "has ended, or hand over what it needs as arguments");
}

void checked_coroutine::no_co_return() const noexcept {
  wrong_coroutine(declared_,
                  "has come to its end without co_return, and so has no result. Let each way "
                  "through it end by co_return with a value, or by an exception");
}

void checked_coroutine::no_value_yet() noexcept {
  misuse(
      "a nopal::eventual is read that has no value: its task has not been forked, has thrown, or "
      "has not ended. co_await nopal::join() first");
}

}  // namespace nopal::detail

#endif
