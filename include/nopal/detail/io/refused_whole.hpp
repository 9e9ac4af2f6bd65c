// SPDX-License-Identifier: Apache-2.0
// Calls of whole.hpp with other arguments. A concept sees the overloads above it alone: a qualified
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
concept read_all_takes = requires(A&&... a) { io::read_all(std::forward<A>(a)...); };
template <class... A>
  requires(!read_all_takes<A...>)
std::size_t read_all(A&&...) {
  return detail::refuse_io<detail::io_argument::to, std::size_t, A...>();
}
template <class... A>
  requires(!read_all_takes<A...>)
detail::io_expression<std::size_t> async_read_all(A&&...) {
  return detail::refuse_io<detail::io_argument::to, detail::io_expression<std::size_t>, A...>();
}

template <class... A>
concept write_all_takes = requires(A&&... a) { io::write_all(std::forward<A>(a)...); };
template <class... A>
  requires(!write_all_takes<A...>)
std::size_t write_all(A&&...) {
  return detail::refuse_io<detail::io_argument::from, std::size_t, A...>();
}
template <class... A>
  requires(!write_all_takes<A...>)
detail::io_expression<std::size_t> async_write_all(A&&...) {
  return detail::refuse_io<detail::io_argument::from, detail::io_expression<std::size_t>, A...>();
}

}  // namespace io
#ifdef NOPAL_SERIAL
}  // namespace serial
#endif
}  // namespace nopal
