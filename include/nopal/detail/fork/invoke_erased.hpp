// SPDX-License-Identifier: Apache-2.0
// This forks closures whose types the library does not know. Compilers instantiate the call of each
// once, and nothing of the fork, which takes a call through a pointer more.
#pragma once

#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// A closure without its type.
struct erased_closure {
  void (*call)(const void* closure);
  const void* closure;

  void operator()() const { call(closure); }
};

/// Returns a closure without its type. It must outlive the result.
template <class F>
NOPAL_ALWAYS_INLINE erased_closure erased(const F& f) noexcept {
  return {[](const void* closure) { (*static_cast<const F*>(closure))(); }, &f};
}

/// Does what parallel_invoke(f, g) does, on any thread.
void invoke_erased(erased_closure f, erased_closure g);

}  // namespace nopal::detail
