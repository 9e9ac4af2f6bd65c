// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/task_scope.hpp"
#else

#include <memory>
#include <stop_token>
#include <system_error>
#include <utility>

#include "nopal/async/claim.hpp"
#include "nopal/async/near.hpp"
#include "nopal/async/pending.hpp"
#include "nopal/detail/async/kept_call.hpp"
#include "nopal/detail/async/near_call.hpp"
#include "nopal/detail/async/spawned_function.hpp"
#include "nopal/detail/wait/wait_call.hpp"
#include "nopal/runtime.hpp"
#include "nopal/wait/limits.hpp"

namespace nopal {

/// Functions that run beside the one that spawns them, until the scope is joined or ends.
/// \code
/// int left = 0, right = 0;
/// nopal::task_scope both;
/// both.spawn([&] { left = 1; });
/// both.spawn([&] { right = 2; });
/// both.join();
/// // left and right are set.
/// \endcode
///
/// A fork costs less, and keeps to the space of the serial program; a scope is for work that no
/// function joins where it forks it. A spawned function may spawn others in the same scope, fork,
/// and wait. It must not join its own scope, which would wait for the function itself.
///
/// Thread-safety: any thread may call any member at any time, but only one at a time joins, and the
/// destructor comes last. What others spawn while one joins may be left to the next join.
/// Source: i-lets, Schmaus 2015, section 2.4; asynchronous fibers, Pfeiffer 2020, section 2.4.
class task_scope {
 public:
  /// Makes a scope on the workers of the calling worker's claim, or of its runtime if it is in
  /// none, or of the default runtime if the caller is no worker.
  task_scope() : scope_(nullptr) {}
  /// Makes a scope on the workers of `r`, which lives longer than the scope: ~runtime waits for the
  /// scope to end.
  explicit task_scope(runtime& r) : scope_(&detail::scheduler_of(r)) {}
  /// Makes a scope on the workers of `c`, which lives longer than the scope: ~claim waits for the
  /// scope to end.
  /// \throws std::logic_error if `c` has been moved from.
  explicit task_scope(claim& c) : scope_(&detail::scheduler_of(c)) {}
  /// Requests stop, and waits for all functions. Exceptions that nobody has joined are dropped. In
  /// a child of fork(2) it waits for nothing.
  ~task_scope() {
    request_stop();
    scope_.join();
  }
  task_scope(const task_scope&) = delete;
  task_scope& operator=(const task_scope&) = delete;

  /// Has a worker run f(args...), or f(stop_token, args...) if f can be called so, and goes on. If
  /// f returns a nopal::task, that is run to its end as well. What f returns is dropped.
  ///
  /// If one of the scope's workers calls this, the function is queued there. That worker runs the
  /// newest first, and a thief the oldest first.
  /// \param f, args  they are moved or copied.
  /// \throws std::bad_alloc, and what moving or copying throws; std::logic_error in a child of
  /// fork(2), which does not have the workers. Nothing has been spawned then.
  /// Complexity: an allocation and two atomic instructions; wait-free on a worker, except for the
  /// allocation. Elsewhere lock-free, and it may wake a worker.
  template <class F, class... A>
  void spawn(F&& f, A&&... args) {
    if constexpr (detail::check_kept_call<F, A...>())
      spawn_call(discarding(detail::keep_call(std::forward<F>(f), std::forward<A>(args)...)));
  }

  /// Does the same with a hint that says where f is to run.
  /// \throws also std::out_of_range if the scope's runtime has no such worker.
  template <class F, class... A>
  void spawn(near hint, F&& f, A&&... args) {
    if constexpr (detail::check_kept_call<F, A...>()) {
      scope_.require_worker(hint.index);
      auto call = discarding(detail::keep_call(std::forward<F>(f), std::forward<A>(args)...));
      scope_.spawn_near(hint.index,
                        *new detail::near_call<decltype(call)>(&scope_, std::move(call)));
    }
  }
  template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
  No spawn(...);

  /// Does the same for a function whose result is wanted. pending::get() returns the result, or
  /// throws the function's exception, which join() then does not throw.
  /// \code
  /// nopal::task_scope s;
  /// nopal::pending<int> p = s.async([](int x) { return x + 1; }, 41);
  /// int answer = p.get();
  /// \endcode
  template <class F, class... A>
  auto async(F&& f, A&&... args) {
    if constexpr (detail::check_kept_call<F, A...>()) {
      auto call = detail::keep_call(std::forward<F>(f), std::forward<A>(args)...);
      using result = decltype(call(scope_.stops.source));
      if constexpr (detail::check_result<result>()) {
        auto [promised, mine] = pending<result>::make();
        spawn_call([call = std::move(call),
                    promise = std::move(promised)](detail::scope& s) mutable noexcept {
          promise->set_from([&]() -> result { return call(s.stops.source); });
        });
        return std::move(mine);
      }
    }
  }
  template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
  No async(...);

  /// Asks all functions to stop: those that take a std::stop_token see it. Functions that have not
  /// begun are run all the same.
  void request_stop() noexcept { scope_.stops.source.request_stop(); }
  /// The token that functions of the scope are given.
  [[nodiscard]] std::stop_token get_stop_token() const noexcept {
    return scope_.stops.source.get_token();
  }

  /// Returns when all functions have ended. The calling strand is suspended meanwhile; a thread
  /// that is no worker sleeps. A task writes `co_await s.join()`. Afterwards the scope may be used
  /// again.
  /// \throws the exception of the function that was the first to throw; those of others are
  /// dropped. std::logic_error in a child of fork(2), which does not have the workers.
  auto join() { return joining<detail::no_limits>({}); }
  /// Returns when all functions have ended, unless a limit ends the wait. Then the scope is as if
  /// nobody had joined it: the functions run on, no stop is requested, and what they throw is for
  /// the next join. The destructor still requests a stop and waits for all of them.
  /// \code
  /// nopal::task_scope s;
  /// s.spawn([](const std::stop_token& stop) {
  ///   while (!stop.stop_requested()) std::this_thread::yield();
  /// });
  /// std::error_code error;
  /// s.join(error, std::chrono::milliseconds(1));  // std::errc::timed_out
  /// if (error) s.request_stop();
  /// s.join();
  /// \endcode
  /// \throws also std::system_error if a limit ends the wait, nopal::stopped if it is a stop.
  auto join(const limits& within) { return joining<detail::call_limits>({within, nullptr}); }
  /// Does the same without an exception for a limit. All functions have ended if there is no error.
  auto join(std::error_code& error, const limits& within) {
    return joining<detail::call_limits>({within, &error});
  }

 private:
  template <class Limits>
  detail::wait_call<detail::join_operation, Limits> joining(const Limits& l) {
    scope_.require_workers();
    return detail::wait_call<detail::join_operation, Limits>(l, scope_);
  }

  /// Makes a function of `f` that drops what f returns.
  template <class F>
  static auto discarding(F&& f) {
    return [f = std::forward<F>(f)](detail::scope& s) mutable {
      static_cast<void>(f(s.stops.source));
    };
  }

  template <class F>
  void spawn_call(F&& f) {
    auto call =
        std::make_unique<detail::spawned_call<std::decay_t<F>>>(&scope_, std::forward<F>(f));
    scope_.spawn(*call);
    static_cast<void>(call.release());  // it frees itself
  }

  detail::scope scope_;
};

}  // namespace nopal

#endif
