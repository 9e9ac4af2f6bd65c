// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/platform/config.hpp"  // first: it says what nopal needs

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/parallel_invoke.hpp"
#else

#include "nopal/detail/fork/closures.hpp"
#include "nopal/detail/fork/invoke_all.hpp"
#include "nopal/detail/runtime/checked_function.hpp"
#include "nopal/detail/runtime/completion.hpp"

namespace nopal {

/// Runs all closures, perhaps at the same time, and returns when all have ended.
///
/// The closures run in the order written on one worker, each as a plain call: a fork that nobody
/// steals costs about as much as a call. If one throws, those after it that have not been started
/// never are, those that were stolen are waited for, and the exception of the first in the order
/// written goes on to the caller. The code after the call may run on another thread than the code
/// before it: hold no lock across it, and read thread-locals anew.
/// \code
/// long fib(int n) {
///   if (n < 2) return n;
///   auto [a, b] = nopal::parallel_invoke([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
///   return a + b;
/// }
/// void fib(int n, long& result) {
///   if (n < 2) return void(result = n);
///   long a, b;
///   nopal::parallel_invoke([&] { fib(n - 1, a); }, [&] { fib(n - 2, b); });
///   result = a + b;
/// }
/// \endcode
///
/// \param f  callable without arguments. All return void, or none does. They are called in place,
/// except for temporaries that are cheap to copy.
/// \return nothing if the closures return void, else std::tuple of what they return, in the order
/// written. A closure may return anything that can be moved, or a reference to what outlives it. If
/// a closure returns a nopal::task, that is run to its end as well, and it is the result of the
/// task that counts.
/// \throws whatever the first closure that throws does, or the move of a result; the results of the
/// others are destroyed.
/// Thread-safety: call it anywhere; on a thread that is no worker it runs on the default runtime.
/// Complexity: O(sizeof...(F)) work and span overhead, no allocation.
/// Space: a fork of any number of closures adds one stack to a path of the cactus stack.
/// Source: continuation stealing, Pfeiffer 2020, sections 2.1.3 and 3.3, with a join of two. Three
/// closures and more are joined with the split counter of section 4.6.2.
template <class... F>
NOPAL_ALWAYS_INLINE detail::returned_by<F...> parallel_invoke(F&&... f) {
  if constexpr (!detail::checked_closures<F...>::check())
    return;
  else if constexpr ((detail::returns_a_task<F&> || ...))
    return parallel_invoke(detail::run_to_end<F&>{f}...);
  else if constexpr (detail::all_return_something<F...>)
    return detail::invoke_all_returning<F...>(f...);
  else if constexpr (sizeof...(F) > 0)
    detail::invoke_all<F...>(f...);
}
inline void parallel_invoke() noexcept {}  // no closures at all do not mean the overload below
template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
No parallel_invoke(...);

}  // namespace nopal

#endif
