// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/fork_frame.hpp"
#else

#include <cstdint>
#include <type_traits>
#include <utility>

#include "nopal/detail/fork/child_call.hpp"
#include "nopal/detail/fork/events.hpp"
#include "nopal/detail/fork/forked_call.hpp"
#include "nopal/detail/fork/frame_join.hpp"
#include "nopal/detail/runtime/checked_function.hpp"
#include "nopal/detail/runtime/completion.hpp"

#ifdef NOPAL_CHECK
#include "nopal/detail/fork/checked_frame.hpp"
#define NOPAL_CHECKED_FORKS __attribute__((target(NOPAL_MARK_OF_FORKS)))
#define NOPAL_CHECKED_USE checked_.used();
#define NOPAL_CHECKED_JOIN const hands_out_results at_end{checked_};
#define NOPAL_CHECKED_END checked_.ends();
#else
#define NOPAL_CHECKED_FORKS
#define NOPAL_CHECKED_USE
#define NOPAL_CHECKED_JOIN
#define NOPAL_CHECKED_END
#endif

/// Marks a function that has a fork_frame. It must keep its frame to itself, so it is not inlined;
/// and its frame must need no alignment of more than 16 bytes, so g++ is kept from vectorizing it
/// with larger registers, which it would spill.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define NOPAL_FORKS __attribute__((noinline, target("prefer-vector-width=128"))) NOPAL_CHECKED_FORKS
#else
#define NOPAL_FORKS __attribute__((noinline)) NOPAL_CHECKED_FORKS
#endif

namespace nopal {

/// Forks and joins in the middle of a function: after a fork the rest of the function may go on at
/// once, on another thread, while the forked call runs.
///
/// The function must be marked NOPAL_FORKS, and must not have over-aligned locals, variable-length
/// arrays or alloca. It must hold no lock across a fork or a join, read thread-locals anew after
/// one, and join before it leaves a catch block in which it forked. Memory is constant whatever the
/// number of forks.
/// \code
/// NOPAL_FORKS long fib(long n) {
///   if (n < 2) return n;
///   nopal::fork_frame frame;
///   long a;
///   frame.fork(&a, fib, n - 1);
///   const long b = fib(n - 2);
///   frame.join();
///   return a + b;
/// }
/// \endcode
///
/// Exceptions: if nobody stole, a forked call that throws throws out of fork(), as the call would;
/// if calls that were forked before have been stolen from, fork() waits for them, and throws the
/// exception of the serially first. Otherwise join() throws the exception of the serially first
/// call that threw. A frame that ends without join() joins, and throws likewise; if it ends because
/// the function itself throws, that exception goes on and those of the children are dropped.
/// Thread-safety: a frame belongs to its function. On a thread that is no worker, the first fork
/// takes the function over to the default runtime, and the end of the frame takes it back. Of
/// several frames in such a function, the one that forks first must end last: declare it first.
/// Source: Pfeiffer 2020, chapter 4 (Fibril's interface), with a wait-free join.
class fork_frame {
 public:
#ifdef NOPAL_CHECK
  NOPAL_ALWAYS_INLINE fork_frame(
      detail::declaration_of_frame d = detail::this_function_must_be_marked_NOPAL_FORKS(
          std::source_location::current())) noexcept
      : checked_(d) {}
#else
  NOPAL_ALWAYS_INLINE fork_frame() noexcept = default;
#endif
  NOPAL_ALWAYS_INLINE ~fork_frame() noexcept(false) {
    NOPAL_CHECKED_USE
    NOPAL_CHECKED_END
    NOPAL_CHECKED_JOIN
    join_.end();
  }
  fork_frame(const fork_frame&) = delete;
  fork_frame& operator=(const fork_frame&) = delete;

  /// Calls f(args...) and assigns the result to *result before the next join() returns. f and args
  /// are copied or moved first, as std::thread does; std::ref passes a reference. If f returns a
  /// nopal::task, the child runs that to its end as well, and *result gets the result of the task.
  /// Complexity: no allocation; without a steal it costs about as much as two calls.
  template <class R, class F, class... A>
    requires(!std::is_function_v<R>)
  NOPAL_ALWAYS_INLINE void fork(R* result, F&& f, A&&... args) {
    if constexpr (detail::check_forked_call<R, F, A...>()) {
      NOPAL_CHECKED_USE
      if constexpr (detail::returns_a_task<std::decay_t<F>, std::decay_t<A>...>)
        fork_onto(result, detail::run_to_end<std::decay_t<F>>{std::forward<F>(f)},
                  std::forward<A>(args)...);
      else
        fork_onto(result, std::forward<F>(f), std::forward<A>(args)...);
    }
  }

  /// Does the same for a call whose result, if it has one, is dropped.
  template <class F, class... A>
    requires(!detail::is_place<F>)
  NOPAL_ALWAYS_INLINE void fork(F&& f, A&&... args) {
    if constexpr (detail::check_forked_call<void, F, A...>()) {
      NOPAL_CHECKED_USE
      if constexpr (detail::returns_a_task<std::decay_t<F>, std::decay_t<A>...>)
        detail::fork_call_of<void>(join_, nullptr,
                                   detail::run_to_end<std::decay_t<F>>{std::forward<F>(f)},
                                   std::forward<A>(args)...);
      else
        detail::fork_call_of<void>(join_, nullptr, std::forward<F>(f), std::forward<A>(args)...);
    }
  }
  template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
  No fork(...);

  /// Returns when every call forked so far has ended, perhaps on another thread than before.
  /// \throws the exception of the serially first of them that threw.
  NOPAL_ALWAYS_INLINE void join() {
    NOPAL_CHECKED_USE
    NOPAL_CHECKED_JOIN
    join_.join();
  }

 private:
  template <class R, class F, class... A>
  NOPAL_ALWAYS_INLINE void fork_onto(R* result, F&& f, A&&... args) {
#ifdef NOPAL_CHECK
    detail::checked_frame::fork_with_result fork(checked_);
    const std::uint64_t steals = join_.steals();
    R* const place = checked_.place_for(result);
    detail::fork_call_of(join_, place, std::forward<F>(f), std::forward<A>(args)...);
    fork.returned = true;
    checked_.hide(place, join_.steals() == steals);
#else
    detail::fork_call_of(join_, result, std::forward<F>(f), std::forward<A>(args)...);
#endif
  }

#ifdef NOPAL_CHECK
  /// Hands out the results at its end. Its end comes behind the join, whether that returns or
  /// throws.
  struct hands_out_results {
    detail::checked_frame& checked;
    NOPAL_ALWAYS_INLINE ~hands_out_results() { checked.hand_out_results(); }
  };

  detail::checked_frame checked_;
#endif
  NOPAL_EMIT_FORKING
  detail::frame_join join_;
};

}  // namespace nopal

#undef NOPAL_CHECKED_USE
#undef NOPAL_CHECKED_JOIN
#undef NOPAL_CHECKED_END
#endif
