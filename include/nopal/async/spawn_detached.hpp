// SPDX-License-Identifier: Apache-2.0
// This defines runtime::spawn_detached().
#pragma once

#include "nopal/runtime.hpp"

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/spawn_detached.hpp"
#else

#include <utility>

#include "nopal/detail/async/detached_call.hpp"
#include "nopal/detail/async/kept_call.hpp"

namespace nopal {

template <class F, class... A>
void runtime::spawn_detached(F&& f, A&&... args) {
  if constexpr (detail::check_kept_call<F, A...>())
    detail::spawn_detached(detail::scheduler_of(*this), std::forward<F>(f),
                           std::forward<A>(args)...);
}

}  // namespace nopal

#endif
