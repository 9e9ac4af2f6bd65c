// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/sync.hpp"
#else

#include <type_traits>
#include <utility>

#include "nopal/detail/sync/select_operation.hpp"
#include "nopal/detail/wait/wait_call.hpp"

namespace nopal {

/// A case of select() that is taken when no other has been taken by then.
/// \param t  a duration, or a moment of any clock.
template <class Time>
[[nodiscard]] detail::after_case after(const Time& t) {
  return {limits(t).deadline};
}

/// A case of select() that is taken at once if no other can be.
[[nodiscard]] inline detail::otherwise_case otherwise() noexcept { return {}; }

/// Waits until one of the cases can be taken, and takes it and no other. Returns its index, from 0
/// on, as an int. If several can be taken, any of them is.
/// \code
/// nopal::channel<int> ch1(1), ch2(1);
/// std::optional<int> a;
/// const auto soon = std::chrono::milliseconds(10);
/// switch (nopal::select(ch1.receiving(a), ch2.sending(7), nopal::after(soon))) {
///   case 0: break;  // a has been received from ch1, or is empty if that is closed
///   case 1: break;  // 7 has been sent
///   case 2: break;  // nothing has happened for 10 ms
/// }
/// \endcode
/// A task writes `co_await nopal::select(…)`.
/// \param cases  what channel::receiving() and channel::sending(), after() and otherwise() return.
/// \throws std::system_error with std::errc::broken_pipe if it takes a sending case whose channel
/// is closed; nopal::stopped if it would have to wait, and a stop comes to the caller's scope.
/// Complexity: linear in the number of cases.
template <class... Cases>
  requires(!detail::begins_with_limits<Cases...>)
auto select(Cases&&... cases) {
  if constexpr (detail::check_select<std::remove_cvref_t<Cases>...>())
    return detail::wait_call<detail::select_operation<std::remove_cvref_t<Cases>...>>(
        {}, std::remove_cvref_t<Cases>(std::forward<Cases>(cases))...);
  else
    return 0;
}
/// Does the same, unless a limit ends the wait.
/// \throws std::system_error if a limit does, nopal::stopped if it is a stop.
template <class... Cases>
auto select(const limits& within, Cases&&... cases) {
  if constexpr (detail::check_select<std::remove_cvref_t<Cases>...>())
    return detail::wait_call<detail::select_operation<std::remove_cvref_t<Cases>...>,
                             detail::call_limits>(
        {within, nullptr}, std::remove_cvref_t<Cases>(std::forward<Cases>(cases))...);
  else
    return 0;
}

}  // namespace nopal

#endif
