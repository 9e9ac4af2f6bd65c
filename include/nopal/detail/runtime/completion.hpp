// SPDX-License-Identifier: Apache-2.0
// A function may return something that is yet to be run, such as a task. Wherever nopal calls a
// function of the program, it runs that to its end as well.
#pragma once

#include <type_traits>
#include <utility>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/invoke.hpp"

namespace nopal::detail {

/// A front end specializes this for what its functions return: completion<R>::complete(r) runs r to
/// its end and returns its result, from any thread; complete_here(r) does so on a worker.
template <class R>
struct completion;

template <class R>
concept has_completion = requires(R r) { completion<R>::complete(std::move(r)); };

/// The type that a call of type R gives when all of it has been run.
template <class R>
struct completed {
  using type = R;
};
template <has_completion R>
struct completed<R> {
  using type = decltype(completion<R>::complete(std::declval<R>()));
};

template <class F, class... A>
using result_to_end = typename completed<std::invoke_result_t<F, A...>>::type;

/// Calls invoke(f, args...). If that returns something yet to be run, such as a task, runs it and
/// returns its result. For all other functions this is invoke(), to the instruction.
template <class F, class... A>
NOPAL_ALWAYS_INLINE constexpr decltype(auto) invoke_to_end(F&& f, A&&... args) {
  using result = std::invoke_result_t<F, A...>;
  if constexpr (has_completion<result>)
    return completion<result>::complete(
        detail::invoke(std::forward<F>(f), std::forward<A>(args)...));
  else
    return detail::invoke(std::forward<F>(f), std::forward<A>(args)...);
}

/// Calls a function, and runs what it returns to its end.
/// \tparam F  a reference to the function, or the type of the one kept here.
template <class F>
struct run_to_end {
  [[no_unique_address]] F f;

  template <class... A>
  NOPAL_ALWAYS_INLINE decltype(auto) operator()(A&&... args) {
    return invoke_to_end(std::forward<F>(f), std::forward<A>(args)...);
  }
  template <class... A>
    requires std::is_reference_v<F>
  NOPAL_ALWAYS_INLINE decltype(auto) operator()(A&&... args) const {
    return invoke_to_end(f, std::forward<A>(args)...);
  }
};

/// Whether what f(args...) returns is yet to be run.
template <class F, class... A>
inline constexpr bool returns_a_task = false;
template <class F, class... A>
  requires std::is_invocable_v<F, A...>
inline constexpr bool returns_a_task<F, A...> = has_completion<std::invoke_result_t<F, A...>>;

}  // namespace nopal::detail
