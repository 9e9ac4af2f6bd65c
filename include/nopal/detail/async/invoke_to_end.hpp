// SPDX-License-Identifier: Apache-2.0
// How a function is called that was spawned with its arguments.
#pragma once

#include <functional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/detail/runtime/completion.hpp"

namespace nopal::detail {

/// invoke(f, args...), and if that returns something yet to be run, such as a task, its result.
template <class F, class... A>
decltype(auto) invoke_to_end(F&& f, A&&... args) {
  using result = std::invoke_result_t<F, A...>;
  if constexpr (has_completion<result>)
    return completion<result>::complete(std::invoke(std::forward<F>(f), std::forward<A>(args)...));
  else
    return std::invoke(std::forward<F>(f), std::forward<A>(args)...);
}

/// A function and its arguments, kept until it is called: once, with a stop token first if it takes
/// one.
template <class F, class... A>
class kept_call {
 public:
  static constexpr bool takes_token = std::is_invocable_v<F, std::stop_token, A...>;
  static_assert(takes_token || std::is_invocable_v<F, A...>,
                "nopal: the function cannot be called with these arguments, moved; nor with a "
                "std::stop_token before them");

  template <class G, class... B>
  explicit kept_call(std::in_place_t, G&& g, B&&... args)
      : f_(std::forward<G>(g)), args_(std::forward<B>(args)...) {}

  decltype(auto) operator()([[maybe_unused]] std::stop_source& stop) {
    return std::apply(
        [&](A&... args) -> decltype(auto) {
          if constexpr (takes_token)
            return invoke_to_end(std::move(f_), stop.get_token(), std::move(args)...);
          else
            return invoke_to_end(std::move(f_), std::move(args)...);
        },
        args_);
  }

 private:
  [[no_unique_address]] F f_;
  [[no_unique_address]] std::tuple<A...> args_;
};

template <class F, class... A>
kept_call<std::decay_t<F>, std::decay_t<A>...> keep_call(F&& f, A&&... args) {
  return kept_call<std::decay_t<F>, std::decay_t<A>...>(std::in_place, std::forward<F>(f),
                                                        std::forward<A>(args)...);
}

}  // namespace nopal::detail
