// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/fork/closures.hpp"

namespace nopal {
inline namespace serial {

template <class... F>
detail::returned_by<F...> parallel_invoke(F&&... f) {
  detail::check_closures<F...>();
  if constexpr (detail::all_return_something<F...>)
    return detail::returned_by<F...>{f()...};  // braces: in the order written
  else
    (static_cast<void>(f()), ...);
}

}  // namespace serial
}  // namespace nopal
