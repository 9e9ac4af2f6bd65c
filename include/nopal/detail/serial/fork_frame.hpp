// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

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
    requires std::is_invocable_v<std::decay_t<F>, std::decay_t<A>...> &&
             std::is_assignable_v<R&, std::invoke_result_t<std::decay_t<F>, std::decay_t<A>...>>
  void fork(R* result, F&& f, A&&... args) {
    *result =
        std::invoke(std::decay_t<F>(std::forward<F>(f)), std::decay_t<A>(std::forward<A>(args))...);
  }
  template <class F, class... A>
    requires std::is_invocable_v<std::decay_t<F>, std::decay_t<A>...>
  void fork(F&& f, A&&... args) {
    static_cast<void>(std::invoke(std::decay_t<F>(std::forward<F>(f)),
                                  std::decay_t<A>(std::forward<A>(args))...));
  }
  void join() {}
};

}  // namespace serial
}  // namespace nopal
