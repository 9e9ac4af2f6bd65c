// SPDX-License-Identifier: Apache-2.0
#include "nopal/detail/cilk/invoked.hpp"

#include "nopal/detail/runtime/default_runtime.hpp"

void nopal_cilk_run_stolen(nopal::detail::continuation* join, nopal::detail::worker* thief,
                           nopal::detail::cilk_rest* rest) noexcept {
  static_cast<nopal::detail::cilk_invoked*>(join)->run_on_thief(*thief, rest);
}

void nopal_cilk_abandon(void* join) noexcept {
  static_cast<nopal::detail::cilk_invoked*>(join)->abandon();
}

void nopal_cilk_run_outside(void (*f)(void*), void* captured) {
  nopal::detail::run_on_default_runtime(f, captured);
}
