// SPDX-License-Identifier: Apache-2.0
// The serial elision has worker 0 alone.
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <utility>

namespace nopal {
inline namespace serial {

[[nodiscard]] inline std::optional<unsigned> current_worker() noexcept { return 0; }
[[nodiscard]] inline unsigned thread_number() noexcept { return 0; }

template <std::invocable F>
decltype(auto) on_this_thread(F&& f) {
  return std::invoke(std::forward<F>(f));
}

}  // namespace serial
}  // namespace nopal
