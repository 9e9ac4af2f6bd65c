// SPDX-License-Identifier: Apache-2.0
// What parallel_invoke and its serial elision take, and what they give back.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

namespace nopal::detail {

/// What closures return, in their order.
template <class... F>
using results = std::tuple<std::invoke_result_t<std::remove_reference_t<F>&>...>;

/// Whether parallel_invoke of such closures returns nothing. Refuses those that it does not take.
template <class... F>
constexpr bool return_nothing() noexcept {
  static_assert((std::is_invocable_v<F&> && ...),
                "nopal::parallel_invoke: each argument must be callable without arguments");
  constexpr std::size_t return_void = (0 + ... + std::is_void_v<std::invoke_result_t<F&>>);
  static_assert(return_void == 0 || return_void == sizeof...(F),
                "nopal::parallel_invoke: either all closures return void, or none does");
  static_assert((!std::is_rvalue_reference_v<std::invoke_result_t<F&>> && ...),
                "nopal::parallel_invoke: a closure must not return an rvalue reference; let it "
                "return the object");
  return return_void == sizeof...(F);
}

}  // namespace nopal::detail
