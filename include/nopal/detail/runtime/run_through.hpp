// SPDX-License-Identifier: Apache-2.0
// runtime::run() and nopal::run() hand their function to the library by this, and its result back.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "nopal/detail/platform/config.hpp"
#include "nopal/detail/platform/invoke.hpp"
#include "nopal/detail/runtime/completion.hpp"

namespace nopal::detail {

/// Does what runtime::run does on the default runtime. On a worker of any runtime it is a plain
/// call.
void run_on_default_or_here(void (*call)(void*), void* argument);

/// Calls f(args...) through `run_erased(function, argument)`, and hands its result on; if that has
/// a completion, the result of the completion. Called after check_function(). This function is not
/// inlined, because of what it throws: see held_exception.hpp.
template <class Run, class F, class... A>
NOPAL_NOINLINE decltype(auto) run_through(Run&& run_erased, F&& f, A&&... args) {
  using result = std::invoke_result_t<F, A...>;
  const auto run_call = [&](auto& call) {
    run_erased([](void* c) { (*static_cast<std::remove_reference_t<decltype(call)>*>(c))(); },
               &call);
  };
  if constexpr (has_completion<result>) {
    return run_through(std::forward<Run>(run_erased), [&]() -> decltype(auto) {
      return completion<result>::complete_here(
          detail::invoke(std::forward<F>(f), std::forward<A>(args)...));
    });
  } else if constexpr (std::is_void_v<result>) {
    auto call = [&] { detail::invoke(std::forward<F>(f), std::forward<A>(args)...); };
    run_call(call);
  } else if constexpr (std::is_reference_v<result>) {
    std::remove_reference_t<result>* r = nullptr;
    auto call = [&] {
      auto&& value = detail::invoke(std::forward<F>(f), std::forward<A>(args)...);
      r = detail::address_of(value);
    };
    run_call(call);
    return static_cast<result>(*r);
  } else {
    std::optional<std::remove_cv_t<result>> r;
    auto call = [&] { r.emplace(detail::invoke(std::forward<F>(f), std::forward<A>(args)...)); };
    run_call(call);
    return std::remove_cv_t<result>(std::move(*r));
  }
}

}  // namespace nopal::detail
