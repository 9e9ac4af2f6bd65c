// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/task/start.hpp"
#else

#include <utility>

#include "nopal/detail/task/foreign/started_task.hpp"
#include "nopal/runtime.hpp"
#include "nopal/task.hpp"
#include "nopal/task/outcome.hpp"

namespace nopal {

/// Has a worker run the task, and goes on. Afterwards the worker calls on_done(outcome), with a
/// nopal::outcome<T> that has what the task has returned or thrown. It is for programs that are
/// told by callbacks: nobody waits for the task, and the end of its runtime waits for all of them.
/// The task must not update a reducer that was made outside of it, since nobody joins the two.
/// \code
/// nopal::task<int> answer() { co_return 42; }
/// void ask(std::function<void(int)> reply) {
///   nopal::start(answer(), [reply](nopal::outcome<int> o) { reply(o.has_value() ? *o : -1); });
/// }
/// \endcode
///
/// \param t  runs on the runtime of the calling worker, or on the default runtime if the caller is
/// no worker.
/// \param on_done  is moved. It may return a nopal::task, which is then run to its end. An
/// exception that escapes from it ends the process, with a message.
/// \throws std::bad_alloc; std::logic_error for a task that has been moved from, and in a child of
/// fork(2), which does not have the workers. Nothing has been started then.
/// Thread-safety: any thread may call it at any time.
/// Complexity: two allocations, and what a submission to the workers costs.
template <class T, class F>
void start(task<T> t, F on_done) {
  if constexpr (detail::check_on_done<F, T>())
    detail::start_task(nullptr, std::move(t), std::move(on_done));
}
/// Does the same on the workers of `r`.
template <class T, class F>
void start(runtime& r, task<T> t, F on_done) {
  if constexpr (detail::check_on_done<F, T>())
    detail::start_task(&detail::scheduler_of(r), std::move(t), std::move(on_done));
}

/// A coroutine that is not of nopal awaits a task by this. The task runs on the runtime of the
/// calling worker, or on the default runtime if the caller is no worker. The coroutine goes on on
/// the worker that has ended the task.
///
/// If the promise of the coroutine takes no awaitables but its own, give it an awaitable of its own
/// that calls start().
template <class T>
detail::start_awaiter<T> operator co_await(task<T>&& t) noexcept {
  return detail::start_awaiter<T>(std::move(t));
}

}  // namespace nopal

#endif
