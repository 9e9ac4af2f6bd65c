// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/fork/closures.hpp"

namespace nopal {
inline namespace serial {

template <class... F>
detail::returned_by<F...> parallel_invoke(F&&... f) {
  if constexpr (!detail::checked_closures<F...>::check())
    return;
  else if constexpr (detail::all_return_something<F...>)
    return detail::returned_by<F...>{detail::invoke_to_end(f)...};  // braces keep the order written
  else
    (static_cast<void>(detail::invoke_to_end(f)), ...);
}
inline void parallel_invoke() noexcept {}  // no closures at all do not mean the overload below
template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
No parallel_invoke(...);

}  // namespace serial
}  // namespace nopal
