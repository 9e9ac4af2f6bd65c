// SPDX-License-Identifier: Apache-2.0
// The serial elision: the same interface, every fork a call and every join nothing. nopal.hpp
// includes it in place of the parallel headers when NOPAL_SERIAL is defined; it needs no library.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "nopal/options.hpp"
#include "nopal/statistics.hpp"

#define NOPAL_FORKS

namespace nopal {
inline namespace serial {

/// Nothing here depends on the options, so the environment is not read.
inline options options::from_environment() { return {}; }

inline counts& counts::operator+=(const counts& other) noexcept {
  for (const auto field :
       {&counts::forks, &counts::steals, &counts::failed_steals, &counts::suspensions,
        &counts::foreign_resumptions, &counts::sent_home, &counts::stack_switches,
        &counts::stacks_mapped, &counts::stacks_stolen, &counts::unmaps, &counts::pages_given_back,
        &counts::sleeps, &counts::wake_ups})
    this->*field += other.*field;
  return *this;
}

class runtime {
 public:
  runtime() = default;
  explicit runtime(const options&) {}
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  template <class F, class... A>
  decltype(auto) run(F&& f, A&&... args) {
    return std::invoke(std::forward<F>(f), std::forward<A>(args)...);
  }
  [[nodiscard]] unsigned workers() const noexcept { return 1; }
  [[nodiscard]] statistics stats() const {
    return {.total = {}, .per_worker = std::vector<counts>(1)};
  }
};

template <class F, class... A>
decltype(auto) run(F&& f, A&&... args) {
  return std::invoke(std::forward<F>(f), std::forward<A>(args)...);
}

template <class... F>
void parallel_invoke(F&&... f) {
  static_assert((std::is_void_v<std::invoke_result_t<F>> && ...),
                "nopal::parallel_invoke: each closure must return void");
  (std::invoke(std::forward<F>(f)), ...);
}

class fork_frame {
 public:
  fork_frame() = default;
  fork_frame(const fork_frame&) = delete;
  fork_frame& operator=(const fork_frame&) = delete;

  template <class R, class F, class... A>
    requires std::is_assignable_v<R&, std::invoke_result_t<std::decay_t<F>, std::decay_t<A>...>>
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
