// SPDX-License-Identifier: Apache-2.0
// This stops what runs, and all that has been forked there.
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/stop.hpp"
#else

#include <stop_token>
#include <type_traits>
#include <utility>

#include "nopal/detail/runtime/checked_function.hpp"
#include "nopal/detail/runtime/completion.hpp"
#include "nopal/detail/stop/entered_scope.hpp"
#include "nopal/detail/stop/race.hpp"
#include "nopal/detail/strand/current_scope.hpp"
#include "nopal/wait/limits.hpp"
#include "nopal/wait/stopped.hpp"

namespace nopal {

/// Whether a stop has come to what the caller is a part of: to the nopal::with_stop, with_deadline,
/// first_of, any_error_stops or nopal::task_scope around it, or to one around that.
/// \code
/// long nodes = 0;
/// while (!nopal::stop_requested() && nodes < 1000) ++nodes;
/// \endcode
/// Thread-safety: call it anywhere.
/// Complexity: some loads.
[[nodiscard]] inline bool stop_requested() noexcept {
  const detail::stop_scope* s = detail::current_scope();
  return s != nullptr && s->is_stopped();
}

/// Throws if a stop has come to what the caller is a part of.
/// \code
/// void visit(int depth) {
///   nopal::check_stop();
///   if (depth == 0) return;
///   nopal::parallel_invoke([=] { visit(depth - 1); }, [=] { visit(depth - 1); });
/// }
/// \endcode
/// \throws nopal::stopped
/// Thread-safety: call it anywhere.
inline void check_stop() {
  if (stop_requested()) [[unlikely]]
    detail::check_scope("nopal::check_stop");
}

/// Returns a token of what the caller is a part of, for code that takes one; an empty one if there
/// is nothing that a stop could come to.
/// \code
/// const std::jthread beside([t = nopal::current_stop_token()] {
///   while (!t.stop_requested()) break;
/// });
/// \endcode
/// Thread-safety: call it anywhere. A function that is registered with it runs on the thread that
/// requests the stop, or on the thread of the timers at a deadline. It must not wait.
[[nodiscard]] std::stop_token current_stop_token() noexcept;

/// Calls f(args...). A stop that is requested of `t` comes to all that f does, and to what it
/// forks:
///
/// - check_stop() throws nopal::stopped, and stop_requested() is true;
/// - calls of nopal/sync.hpp, nopal/io.hpp, countdown, pending, pool and stm's retry that wait, or
///   would have to, throw nopal::stopped, or give std::errc::operation_canceled to an error code;
///   nopal::mutex::lock, nopal::shared_mutex and nopal::io::close do not, except with limits;
/// - loops such as nopal::for_each throw it before their next block, and a closure of
///   parallel_invoke() that a thief has taken is not begun;
/// - a task_scope that was made there is asked to stop.
///
/// Nothing else is broken off: joins and destructors wait as ever. So this returns, or throws, once
/// all that f has forked has ended.
/// \code
/// std::stop_source source;
/// std::atomic<bool> found = false;
/// nopal::with_stop(source.get_token(), [&] {
///   nopal::parallel_invoke(
///       [&] {
///         found = true;
///         source.request_stop();
///       },
///       [] {
///         while (!nopal::stop_requested()) {
///           // searches
///         }
///       });
/// });
/// \endcode
/// \param f, args  called as std::invoke does. What f forks, it joins. If it returns a nopal::task,
/// that is run to its end as well.
/// \return what f returns.
/// \throws whatever f throws, which may be nopal::stopped; std::bad_alloc.
/// Thread-safety: call it anywhere.
/// Complexity: an allocation, and two callbacks or three. A fork costs nothing more, except for the
/// first one of a strand there, and one in 64 levels of a recursion.
template <class F, class... A>
// This is not inlined, because of what it throws: see held_exception.hpp.
NOPAL_NOINLINE decltype(auto) with_stop(const std::stop_token& t, F&& f, A&&... args) {
  if constexpr (detail::check_function<F, A...>()) {
    const detail::entered_scope scope(t);
    return detail::invoke_to_end(std::forward<F>(f), std::forward<A>(args)...);
  }
}

/// Does what with_stop() does, with a stop that comes at a moment.
/// \code
/// try {
///   nopal::with_deadline(std::chrono::milliseconds(1), [] {
///     for (;;) nopal::check_stop();
///   });
/// } catch (const std::system_error& e) {
///   const bool too_late = e.code() == std::errc::timed_out;
/// }
/// \endcode
/// \param within  a duration, or a moment of any clock; a stop token as well, as in nopal::limits.
/// \throws std::system_error with std::errc::timed_out if f throws nopal::stopped since the moment
/// has come; whatever f throws; std::bad_alloc, or std::system_error if the thread of the timers
/// cannot be started.
template <class F, class... A>
// This is not inlined, because of what it throws: see held_exception.hpp.
NOPAL_NOINLINE decltype(auto) with_deadline(const limits& within, F&& f, A&&... args) {
  if constexpr (detail::check_function<F, A...>()) {
    const detail::timed_scope scope(within);
    try {
      return detail::invoke_to_end(std::forward<F>(f), std::forward<A>(args)...);
    } catch (const stopped&) {
      scope.rethrow();
    }
  }
}

/// Calls f(args...), to which no stop around this comes: for clean-up that waits.
/// \code
/// nopal::channel<int> results(1);
/// nopal::without_stop([&] { results.send(1); });
/// \endcode
/// \return what f returns.
/// \throws whatever f throws.
/// Thread-safety: call it anywhere.
template <class F, class... A>
// This is not inlined, because of what it throws: see held_exception.hpp.
NOPAL_NOINLINE decltype(auto) without_stop(F&& f, A&&... args) {
  if constexpr (detail::check_function<F, A...>()) {
    struct left_scope {
      detail::stop_scope* const scope = detail::current_scope();
      left_scope() noexcept { detail::set_current_scope(nullptr); }
      ~left_scope() { detail::set_current_scope(scope); }
    };
    const left_scope left;
    return detail::invoke_to_end(std::forward<F>(f), std::forward<A>(args)...);
  }
}

/// Calls all closures, perhaps at the same time, and returns the result of the first that returns.
/// Then it stops the others, and waits for them.
/// \code
/// const int answer = nopal::first_of([] { return 1; },
///                                    [] {
///                                      for (;;) nopal::check_stop();
///                                      return 2;
///                                    });
/// \endcode
/// \param f  callable without arguments. On one worker they run one after the other, so the first
/// should not wait for ever for what a later one does, except in a call that suspends.
/// \return std::common_type_t of what they return; nothing if they return void.
/// \throws if none returns: the exception of the first in the order written that is not
/// nopal::stopped, else nopal::stopped. std::bad_alloc.
/// Thread-safety: call it anywhere.
template <class... F>
  requires(sizeof...(F) > 0)
// This is not inlined, because of what it throws: see held_exception.hpp.
NOPAL_NOINLINE auto first_of(F&&... f) {
  return detail::race<detail::common_result<F...>>().run(f...);
}

/// Calls all closures, perhaps at the same time. If one throws, it stops the others, and waits for
/// them.
/// \code
/// try {
///   nopal::any_error_stops([] { throw std::runtime_error("no more"); },
///                          [] {
///                            for (;;) nopal::check_stop();
///                          });
/// } catch (const std::runtime_error&) {
/// }
/// \endcode
/// \return what parallel_invoke() returns.
/// \throws the exception that was thrown first. std::bad_alloc.
/// Thread-safety: call it anywhere.
template <class... F>
  requires(sizeof...(F) > 0)
// This is not inlined, because of what it throws: see held_exception.hpp.
NOPAL_NOINLINE decltype(auto) any_error_stops(F&&... f) {
  return detail::stopping_invoke().run(f...);
}

}  // namespace nopal

#endif
