// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/fork/closures.hpp"

namespace nopal {
inline namespace serial {

template <class... F>
auto parallel_invoke(F&&... f) {
  if constexpr (detail::return_nothing<F...>())
    (f(), ...);
  else
    return detail::results<F...>{f()...};  // braces: in the order written
}

}  // namespace serial
}  // namespace nopal
