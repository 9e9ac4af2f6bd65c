// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace nopal {

/// A co_await in a task throws this if the awaitable, or whoever had the handle from it, has
/// destroyed the handle instead of resuming it: nobody will ever say what the task awaits. An
/// executor that ends with handlers in its queue does so.
/// \code
/// struct forgetful {
///   bool await_ready() const noexcept { return false; }
///   void await_suspend(std::coroutine_handle<> h) const { h.destroy(); }
///   void await_resume() const noexcept {}
/// };
/// nopal::task<bool> was_abandoned() {
///   try {
///     co_await forgetful();
///   } catch (const nopal::abandoned&) {
///     co_return true;
///   }
///   co_return false;
/// }
/// \endcode
class abandoned : public std::runtime_error {
 public:
  /// \param what  what was destroyed.
  explicit abandoned(const char* what) : std::runtime_error(what) {}
};

}  // namespace nopal
