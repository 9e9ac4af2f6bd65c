// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <utility>

#include "nopal/detail/async/kept_call.hpp"
#include "nopal/runtime.hpp"

namespace nopal {
inline namespace serial {

namespace serial_detail {

/// Runs f(args...) at once. An exception that escapes ends the process.
template <class F, class... A>
void run_detached(F&& f, A&&... args) {
  if constexpr (detail::check_kept_call<F, A...>()) {
    auto call = detail::keep_call(std::forward<F>(f), std::forward<A>(args)...);
    const auto call_to_end = [&]() noexcept {
      std::stop_source never_requested{std::nostopstate};
      static_cast<void>(call(never_requested));
    };
    call_to_end();
  }
}

}  // namespace serial_detail

template <class F, class... A>
void runtime::spawn_detached(F&& f, A&&... args) {
  serial_detail::run_detached(std::forward<F>(f), std::forward<A>(args)...);
}

}  // namespace serial
}  // namespace nopal
