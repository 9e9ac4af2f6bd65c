// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/io.hpp"
#else

#include <functional>
#include <type_traits>
#include <utility>

#include "nopal/detail/io/blocking_awaiter.hpp"
#include "nopal/detail/io/blocking_job.hpp"
#include "nopal/detail/io/checked_blocking.hpp"

namespace nopal {

/// Calls f() on a helper thread and returns what it returns, while the calling strand is suspended.
/// It is meant for anything that waits and that nopal::io has no name for. Helper threads come when
/// there is something to do for them, at most 512, and go when they have been idle for a second. On
/// a thread that is no worker this is f().
/// \code
/// std::mutex m;
/// nopal::blocking([&] { m.lock(); m.unlock(); });
/// \endcode
///
/// `f` begins with the floating-point control and the exception handlers of the caller. It is code
/// of a thread that is no worker: forks in it go to the default runtime. A mutex that it locks
/// belongs to the helper thread, so it must unlock the mutex as well.
///
/// \param f  a function without parameters. It cannot be broken off. What it returns is no task,
/// which would run on a worker and not on a helper thread.
/// \throws what f() throws; std::system_error if there is no helper thread and none can be started.
/// Thread-safety: any thread may call it.
/// Complexity: takes a lock, and wakes or starts a thread.
/// Source: blocking calls of Schmaus 2015, section 3.6.
template <class F>
NOPAL_NOINLINE decltype(auto) blocking(F&& f) {
  if constexpr (detail::check_blocking<std::remove_reference_t<F>>()) {
    if (!detail::is_on_worker()) return std::invoke(f);
    detail::blocking_call<std::remove_reference_t<F>> call(f);
    detail::wait_for([&call](detail::waiter& w) noexcept { return call.begin(w); });
    return call.result();
  }
}

/// Does what blocking() does, for tasks, which await it.
/// \code
/// nopal::task<int> answer() {
///   co_return co_await nopal::async_blocking([] { return 42; });
/// }
/// \endcode
///
/// Thread-safety: any task may await it.
template <class F>
[[nodiscard("nopal: it takes place where it is awaited: co_await nopal::async_blocking(f)")]]
auto async_blocking(F&& f) {
  if constexpr (detail::check_blocking<std::decay_t<F>>())
    return detail::blocking_expression<std::decay_t<F>>(std::forward<F>(f));
  else
    return detail::refused_expression();
}

}  // namespace nopal

#endif
