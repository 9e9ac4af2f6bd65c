// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "nopal/detail/two_way_join.hpp"
#include "nopal/detail/worker.hpp"

namespace nopal {
namespace detail {

template <class F, class G>
NOPAL_ALWAYS_INLINE void invoke_two(F& f, G& g) {
  worker* w = this_worker();
  if (w == nullptr) [[unlikely]] {
    auto both = [&] { invoke_two(f, g); };
    run_on_default_runtime([](void* b) { (*static_cast<decltype(both)*>(b))(); }, &both);
    return;
  }
  two_way_join<G> join(g, *w);
  const std::int64_t position = w->push(&join);
  if (position == deque::full) [[unlikely]] {
    f();
    g();
    return;
  }
  try {
    f();
  } catch (...) {
    // Stolen or not, g's result is not wanted; but while g runs it uses this frame.
    if (!take_back(w, position)) join.wait();
    throw;
  }
  if (take_back(w, position)) [[likely]]
    g();
  else
    join.wait_and_rethrow();
}

template <class F>
NOPAL_ALWAYS_INLINE void invoke_all(F& f) {
  std::invoke(f);
}

template <class F, class G, class... H>
NOPAL_ALWAYS_INLINE void invoke_all(F& f, G& g, H&... h) {
  if constexpr (sizeof...(H) == 0) {
    invoke_two(f, g);
  } else {
    auto rest = [&] { invoke_all(g, h...); };
    invoke_two(f, rest);
  }
}

}  // namespace detail

/// Runs all closures, maybe at the same time, and returns when all have ended.
///
/// On one worker they run in the order written, each as a plain call: a fork that nobody steals costs about one. When one
/// throws, those after it that have not been started never are, those that were stolen are waited for, and the exception of
/// the first in the order written goes on to the caller. The code after the call may run on another thread than the code
/// before it: hold no lock across it, and read thread-locals anew.
///
/// \param f  callable without arguments, returning void. They are called where they are, not copied.
/// \throws whatever the first closure that throws does.
/// Thread-safety: call it anywhere; from a thread that is no worker it runs on the default runtime.
/// Complexity: O(sizeof...(F)) work and span overhead, no allocation.
/// Source: continuation stealing, Pfeiffer 2020, sections 2.1.3 and 3.3, with a join of two.
template <class... F>
NOPAL_ALWAYS_INLINE void parallel_invoke(F&&... f) {
  static_assert((std::is_invocable_v<F&> && ...), "nopal::parallel_invoke: each argument must be callable without arguments");
  static_assert((std::is_void_v<std::invoke_result_t<F&>> && ...),
                "nopal::parallel_invoke: each closure must return void; hand results back through a captured reference");
  if constexpr (sizeof...(F) > 0) detail::invoke_all(f...);
}

}  // namespace nopal
