// SPDX-License-Identifier: Apache-2.0
// A stop token among the options of an algorithm comes to all that the algorithm does.
#pragma once

#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "nopal/algorithm/grain.hpp"

#ifdef NOPAL_SERIAL
#include "nopal/detail/serial/stop.hpp"
#else
#include "nopal/detail/strand/current_scope.hpp"
#endif

namespace nopal {
NOPAL_ALGORITHMS {
namespace algorithm_detail {

#ifdef NOPAL_SERIAL

inline void run_with_stop(const std::stop_token& t, void (*f)(void*), void* argument) {
  with_stop(t, [=] { f(argument); });
}

/// Throws nopal::stopped if a stop has come to what the algorithm is a part of.
inline void check_block() { check_stop(); }

#else

/// Calls f(argument) as with_stop() does. All algorithms share this one copy of it.
void run_with_stop(const std::stop_token& t, void (*f)(void*), void* argument);

/// Throws nopal::stopped if a stop has come to what the algorithm is a part of. An algorithm that
/// does not run its blocks by for_each_block() calls this before each of them.
inline void check_block() { detail::check_scope("nopal: a loop"); }

#endif

/// Returns what f returns. A stop of `t` comes to it.
template <class F>
std::invoke_result_t<const F&> stoppable(const std::stop_token& t, const F& f) {
  using result = std::invoke_result_t<const F&>;
  if constexpr (std::is_void_v<result>) {
    run_with_stop(t, [](void* c) { (*static_cast<const F*>(c))(); }, const_cast<F*>(&f));
  } else {
    std::optional<result> r;
    auto keep = [&] { r.emplace(f()); };
    run_with_stop(t, [](void* c) { (*static_cast<decltype(keep)*>(c))(); }, &keep);
    return *std::move(r);
  }
}

}  // namespace algorithm_detail
}  // namespace parallel
}  // namespace nopal
