// SPDX-License-Identifier: Apache-2.0
// An exception leaves nopal's inline functions by the ways of this file, so that a caller that is
// noexcept ends the program with a message that names the exception.
//
// If a noexcept function inlines another one that has something to clean up, g++ before 14 calls
// std::terminate behind that clean-up, where no exception is active any more: "terminate called
// without an active exception". So the inline functions of nopal let an exception end in a handler,
// clean up as at any end of a scope, and throw it again from a function that is not inlined.
#pragma once

#include <cstddef>
#include <exception>
#include <new>
#include <utility>

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// An exception between the end of its handler and rethrow(). It needs no clean-up itself.
class held_exception {
 public:
  /// Takes the current exception.
  /// Precondition: it is called in a handler.
  NOPAL_NOINLINE void hold_current() noexcept {
    new (memory_) std::exception_ptr(std::current_exception());
  }
  /// Throws the exception. Called once, after hold_current().
  [[noreturn]] NOPAL_NOINLINE void rethrow() {
    auto* held = std::launder(reinterpret_cast<std::exception_ptr*>(memory_));
    std::exception_ptr e = std::move(*held);
    held->~exception_ptr();
    std::rethrow_exception(std::move(e));
  }

 private:
  alignas(std::exception_ptr) std::byte memory_[sizeof(std::exception_ptr)];
};

/// Calls f(). If it throws, its locals are gone before the exception goes on.
template <class F>
NOPAL_ALWAYS_INLINE decltype(auto) throwing_outside(F&& f) {
  held_exception held;
  try {
    return f();
  } catch (...) {
    held.hold_current();
  }
  held.rethrow();
}

}  // namespace nopal::detail
