// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "nopal/detail/fork/forked_call.hpp"

#define NOPAL_FORKS

namespace nopal {
inline namespace serial {

class fork_frame {
 public:
  fork_frame() noexcept = default;
  ~fork_frame() {}  // a frame is used by being there
  fork_frame(const fork_frame&) = delete;
  fork_frame& operator=(const fork_frame&) = delete;

  template <class R, class F, class... A>
    requires(!std::is_function_v<R>)
  void fork(R* result, F&& f, A&&... args) {
    if constexpr (detail::check_forked_call<R, F, A...>())
      *result = detail::invoke_to_end(std::decay_t<F>(std::forward<F>(f)),
                                      std::decay_t<A>(std::forward<A>(args))...);
  }
  template <class F, class... A>
    requires(!detail::is_place<F>)
  void fork(F&& f, A&&... args) {
    if constexpr (detail::check_forked_call<void, F, A...>())
      static_cast<void>(detail::invoke_to_end(std::decay_t<F>(std::forward<F>(f)),
                                              std::decay_t<A>(std::forward<A>(args))...));
  }
  template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
  No fork(...);
  void join() {}
};

}  // namespace serial
}  // namespace nopal
