// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "nopal/detail/two_way_join.hpp"
#include "nopal/detail/worker.hpp"

namespace nopal {
namespace detail {

/// Copies closures that are cheap to copy, and refers to others: on the way that is not taken, compilers otherwise build the
/// closure in memory on the way that is.
template <class F>
using on_the_side = std::conditional_t<lies_in_join<F>, std::remove_reference_t<F>, std::remove_reference_t<F>&>;

template <class F, class G>
NOPAL_ALWAYS_INLINE void invoke_two(std::remove_reference_t<F>& f, std::remove_reference_t<G>& g);

template <class F, class G>
NOPAL_NOINLINE void invoke_two_outside(on_the_side<F> f, on_the_side<G> g) {
  auto both = [&] { invoke_two<F&, G&>(f, g); };
  run_on_default_runtime([](void* b) { (*static_cast<decltype(both)*>(b))(); }, &both);
}

template <class F, class G>
NOPAL_ALWAYS_INLINE void invoke_two(std::remove_reference_t<F>& f, std::remove_reference_t<G>& g) {
  worker* w = this_worker();
  if (w == nullptr) [[unlikely]] return invoke_two_outside<F, G>(f, g);
  two_way_join<G> join(g, w);
  if (!join.push()) [[unlikely]] {
    f();
    join.call();
    return;
  }
  try {
    f();
  } catch (...) {
    // Stolen or not, g's result is not wanted; but while g runs it uses this frame.
    if (!join.take_back()) address_now(join)->wait();
    throw;
  }
  if (join.take_back()) [[likely]]
    join.call();
  else
    address_now(join)->wait_and_rethrow();
}

template <class F>
NOPAL_ALWAYS_INLINE void invoke_all(std::remove_reference_t<F>& f) {
  f();
}

template <class F, class G, class... H>
NOPAL_ALWAYS_INLINE void invoke_all(std::remove_reference_t<F>& f, std::remove_reference_t<G>& g,
                                    std::remove_reference_t<H>&... h) {
  if constexpr (sizeof...(H) == 0) {
    invoke_two<F, G>(f, g);
  } else {
    auto rest = [&] { invoke_all<G, H...>(g, h...); };
    invoke_two<F, decltype(rest)>(f, rest);
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
/// \param f  callable without arguments, returning void. They are called where they are, but for temporaries that are cheap to
/// copy.
/// \throws whatever the first closure that throws does.
/// Thread-safety: call it anywhere; from a thread that is no worker it runs on the default runtime.
/// Complexity: O(sizeof...(F)) work and span overhead, no allocation.
/// Source: continuation stealing, Pfeiffer 2020, sections 2.1.3 and 3.3, with a join of two.
template <class... F>
NOPAL_ALWAYS_INLINE void parallel_invoke(F&&... f) {
  static_assert((std::is_invocable_v<F&> && ...), "nopal::parallel_invoke: each argument must be callable without arguments");
  static_assert((std::is_void_v<std::invoke_result_t<F&>> && ...),
                "nopal::parallel_invoke: each closure must return void; hand results back through a captured reference");
  if constexpr (sizeof...(F) > 0) detail::invoke_all<F...>(f...);
}

}  // namespace nopal
