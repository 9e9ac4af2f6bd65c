// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "nopal/detail/platform/invoke.hpp"
#include "nopal/task.hpp"

namespace nopal {

/// The type of nopal::lift.
struct lift_function {
  template <class F, class... A>
    requires std::is_invocable_v<F, A...>
  task<std::invoke_result_t<F, A...>> operator()(F f, A... args) const {
    using result = std::invoke_result_t<F, A...>;
    static_assert(!task_function<F, A...>,
                  "nopal::lift: the function returns a nopal::task, so fork and call take it as it "
                  "is");
    static_assert(!std::is_rvalue_reference_v<result>,
                  "nopal::lift: the function returns a reference to something that will be gone; "
                  "let it return a value");
    if constexpr (std::is_void_v<result>) {
      detail::invoke(std::move(f), std::move(args)...);
      co_return;
    } else {
      co_return detail::invoke(std::move(f), std::move(args)...);
    }
  }
};

/// lift(f, args...) is a task that calls the plain function f(args...). So a task forks a function:
/// \code
/// int slow(const std::string& text) { return static_cast<int>(text.size()); }
/// nopal::task<int> both(std::string one, std::string other) {
///   int a, b;
///   co_await nopal::fork(&a, nopal::lift, slow, one);
///   co_await nopal::call(&b, nopal::lift, slow, other);
///   co_await nopal::join();
///   co_return a + b;
/// }
/// \endcode
///
/// f and args are copied or moved, as by std::thread: std::ref keeps a reference.
/// Complexity: the frame of a task.
/// Source: Williams and Elliott 2024, whose library libfork has a lift of this kind.
inline constexpr lift_function lift;

}  // namespace nopal
