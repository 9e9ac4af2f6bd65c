// SPDX-License-Identifier: Apache-2.0
// These do what std::invoke and std::addressof do. Their headers, <functional> and <memory>, bring
// in hash maps, searchers and shared pointers, and would be half of what compilers read for a fork.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

template <class F, class... A>
NOPAL_ALWAYS_INLINE constexpr std::invoke_result_t<F, A...> invoke(F&& f, A&&... args) noexcept(
    std::is_nothrow_invocable_v<F, A...>) {
  if constexpr (std::is_member_pointer_v<std::decay_t<F>>)
    return std::apply(std::forward<F>(f), std::tuple<A&&...>(std::forward<A>(args)...));
  else
    return std::forward<F>(f)(std::forward<A>(args)...);
}

template <class T>
constexpr T* address_of(T& object) noexcept {
  return __builtin_addressof(object);
}
template <class T>
const T* address_of(const T&&) = delete;

}  // namespace nopal::detail
