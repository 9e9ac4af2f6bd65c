// SPDX-License-Identifier: Apache-2.0
// Calls of time.hpp with other arguments. A concept sees the overloads above it alone: a qualified
// name stands for what has been declared.
#pragma once

#include <cstddef>
#include <utility>

#include "nopal/detail/io/perform.hpp"
#include "nopal/detail/io/refused_call.hpp"

namespace nopal {
#ifdef NOPAL_SERIAL
inline namespace serial {
#endif
namespace io {

template <class... A>
concept sleep_until_takes = requires(A&&... a) { io::sleep_until(std::forward<A>(a)...); };
template <class... A>
  requires(!sleep_until_takes<A...>)
void sleep_until(A&&...) {
  return detail::refuse_io<detail::io_argument::moment, void, A...>();
}
template <class... A>
  requires(!sleep_until_takes<A...>)
detail::io_expression<void> async_sleep_until(A&&...) {
  return detail::refuse_io<detail::io_argument::moment, detail::io_expression<void>, A...>();
}

template <class... A>
concept sleep_for_takes = requires(A&&... a) { io::sleep_for(std::forward<A>(a)...); };
template <class... A>
  requires(!sleep_for_takes<A...>)
void sleep_for(A&&...) {
  return detail::refuse_io<detail::io_argument::duration, void, A...>();
}
template <class... A>
  requires(!sleep_for_takes<A...>)
detail::io_expression<void> async_sleep_for(A&&...) {
  return detail::refuse_io<detail::io_argument::duration, detail::io_expression<void>, A...>();
}

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
