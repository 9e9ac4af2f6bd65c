// SPDX-License-Identifier: Apache-2.0
// What a compiler says of a function that no helper thread can call. \see checked_function.hpp
#pragma once

#include <type_traits>

#include "nopal/detail/runtime/checked_function.hpp"

namespace nopal::detail {

/// Whether a helper thread can call f(), an F. If not, the compiler says why.
template <class F>
constexpr bool check_blocking() noexcept {
  constexpr bool callable = std::is_invocable_v<F&>;
  static_assert(callable, "nopal::blocking: the function must be callable without arguments");
  if constexpr (callable) {
    using returned = std::invoke_result_t<F&>;
    static_assert(!has_completion<std::remove_cvref_t<returned>>,
                  "nopal::blocking: the function returns a task, which would run on a worker and "
                  "not on a helper thread; co_await the task, or give it to nopal::wait");
    static_assert(can_be_handed_on<returned>,
                  "nopal::blocking: what the function returns can neither be copied nor moved, so "
                  "it cannot come back; let it return a reference or a std::unique_ptr");
    return can_be_handed_on<returned> && !has_completion<std::remove_cvref_t<returned>>;
  } else {
    return false;
  }
}

}  // namespace nopal::detail
