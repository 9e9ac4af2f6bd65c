// SPDX-License-Identifier: Apache-2.0
// This keeps a function that was spawned, with its arguments, until it is called.
#pragma once

#include <functional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>

#include "nopal/detail/runtime/checked_function.hpp"
#include "nopal/detail/runtime/completion.hpp"

namespace nopal::detail {

/// A function and its arguments, kept until it is called: once, with a stop token first if it takes
/// one.
template <class F, class... A>
class kept_call {
 public:
  static constexpr bool takes_token = std::is_invocable_v<F, std::stop_token, A...>;

  template <class G, class... B>
  explicit kept_call(std::in_place_t, G&& g, B&&... args)
      : f_(std::forward<G>(g)), args_(std::forward<B>(args)...) {}

  /// Makes the call, once.
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

/// Whether F, kept with its arguments, can be called with them.
template <class F, class... A>
inline constexpr bool kept_callable =
    std::is_invocable_v<F, A...> || std::is_invocable_v<F, std::stop_token, A...>;

/// Whether the call of f with args can be kept. If not, the compiler says why.
/// \see check_function()
template <class F, class... A>
constexpr bool check_kept_call() noexcept {
  constexpr bool made = is_already_made<F>;
  constexpr bool copied = std::is_constructible_v<std::decay_t<F>, F> &&
                          (std::is_constructible_v<std::decay_t<A>, A> && ...);
  constexpr bool callable = kept_callable<std::decay_t<F>, std::decay_t<A>...>;
  constexpr bool takes_references =
      !callable && kept_callable<std::decay_t<F>, std::remove_reference_t<A>&...>;
  static_assert(!made,
                "nopal: a task is given where a function is meant; give the function that returns "
                "it, and its arguments; or give the task to nopal::wait");
  static_assert(copied,
                "nopal: the function or an argument cannot be copied, and outlives this call; "
                "std::move it, or hand over a variable itself by std::ref");
  static_assert(!takes_references || !copied,
                "nopal: a parameter is a reference, and what outlives this call gets copies of its "
                "arguments; hand over a variable itself by std::ref, or take the parameter by "
                "value");
  static_assert(made || callable || takes_references || !copied,
                "nopal: the function cannot be called with these arguments, moved; nor with a "
                "std::stop_token before them");
  return !made && copied && callable;
}

template <class F, class... A>
kept_call<std::decay_t<F>, std::decay_t<A>...> keep_call(F&& f, A&&... args) {
  return kept_call<std::decay_t<F>, std::decay_t<A>...>(std::in_place, std::forward<F>(f),
                                                        std::forward<A>(args)...);
}

}  // namespace nopal::detail
