// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/runtime.hpp"
#else

#include <utility>

#include "nopal/detail/platform/configuration.hpp"
#include "nopal/detail/runtime/checked_function.hpp"
#include "nopal/detail/runtime/run_through.hpp"
#include "nopal/options.hpp"
#include "nopal/statistics.hpp"

namespace nopal {

class claim;
struct claim_options;
class runtime;

namespace detail {

class owned_scheduler;
class scheduler;
/// Returns the scheduler of a runtime, for all functions that are given a runtime. Ends the program
/// with a message if the runtime has been destroyed and its memory shows it.
scheduler& scheduler_of(const runtime& r) noexcept;

}  // namespace detail

/// A set of workers, each a thread. Several runtimes may exist side by side.
/// \code
/// nopal::runtime two({.workers = 2});
/// int answer = two.run([] { return 42; });
/// \endcode
///
/// Thread-safety: any thread may call any member at any time, except for the destructor.
class runtime {
 public:
  /// Starts workers with the options that the environment sets; see options::from_environment().
  runtime();

  /// Starts workers with exactly these options.
  /// \throws std::invalid_argument naming the option, its value and what is allowed;
  /// std::system_error if no thread can be started; std::bad_alloc if there is no memory for a
  /// first stack, or for anything else.
  explicit runtime(const options& o);

  /// Waits for all work in flight, then ends the workers. None of them may call it.
  ~runtime();
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  /// Runs f(args...) on the workers, waits for it, and returns its result.
  ///
  /// If one of this runtime's own workers calls run(), that is a plain call. If a worker of another
  /// runtime calls it, the calling strand is suspended, and that worker goes on with other work.
  /// Any other thread runs f itself, on its own stack, and workers steal from it; if it cannot, it
  /// sleeps while a worker runs f: see options::caller_works.
  /// \param f, args  they are used in place, not copied.
  /// \returns what f returns, which must be movable or a reference; if that is a nopal::task, the
  /// result of the task.
  /// \throws whatever f throws; std::logic_error in a child of fork(2), which does not have the
  /// workers.
  /// Complexity: some hundred instructions, from a thread that is no worker. Two system calls and
  /// two changes of thread, if a worker runs f.
  template <class F, class... A>
  decltype(auto) run(F&& f, A&&... args) {
    if constexpr (detail::check_function<F, A...>())
      return detail::run_through(
          [this](void (*call)(void*), void* argument) { run_erased(call, argument); },
          std::forward<F>(f), std::forward<A>(args)...);
  }
  template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
  No run(...);

  /// Has a worker run f(args...), and goes on. Nobody joins the function; ~runtime waits for it.
  /// Defined in nopal/async.hpp.
  /// \code
  /// nopal::runtime r;
  /// r.spawn_detached([] { std::puts("Some worker says this."); });
  /// \endcode
  ///
  /// \param f, args  they are moved or copied. An exception that escapes from f ends the process,
  /// with a message.
  /// \throws std::bad_alloc; std::logic_error in a child of fork(2), which does not have the
  /// workers.
  template <class F, class... A>
  void spawn_detached(F&& f, A&&... args);

  /// The number of workers.
  [[nodiscard]] unsigned workers() const noexcept;

  /// Whether the caller runs on this runtime: on one of its workers, in a claim or not.
  [[nodiscard]] bool is_current() const noexcept;

  /// Takes workers out of the runtime for a claim of their own: see nopal/async/claim.hpp, which
  /// the caller includes.
  /// \throws what is said there.
  [[nodiscard]] nopal::claim claim(const claim_options& o);

  /// The counts since the start; see statistics. What workers do in a claim is not among them.
  [[nodiscard]] statistics stats() const;

 private:
  friend detail::scheduler& detail::scheduler_of(const runtime& r) noexcept;

  void run_erased(void (*call)(void*), void* argument);

  detail::owned_scheduler* scheduler_;  ///< Owned.
};

/// Runs f(args...) on the default runtime, which is started at its first use and set up by the
/// environment; see options::from_environment(). On a worker of any runtime it is a plain call.
/// \code
/// int answer = nopal::run([](int a, int b) { return a * b; }, 6, 7);
/// \endcode
///
/// Results, exceptions and arguments are those of runtime::run().
/// Thread-safety: any thread may call it at any time.
template <class F, class... A>
decltype(auto) run(F&& f, A&&... args) {
  if constexpr (detail::check_function<F, A...>())
    return detail::run_through(detail::run_on_default_or_here, std::forward<F>(f),
                               std::forward<A>(args)...);
}
template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
No run(...);

/// The number of workers of the runtime that the caller runs on; nopal::current_worker() is an
/// index below it. On a thread that is no worker it is the number of workers that the default
/// runtime has, or would have if it started now: this call does not start it.
/// \code
/// std::vector<long> sums(nopal::workers());
/// \endcode
///
/// \throws std::invalid_argument as options::from_environment(), before the default runtime starts.
/// Thread-safety: any thread may call it at any time.
/// Complexity: a few loads; before the default runtime has started, it asks the system.
[[nodiscard]] unsigned workers();

}  // namespace nopal

#endif
