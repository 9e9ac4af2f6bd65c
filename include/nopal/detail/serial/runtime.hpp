// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "nopal/detail/runtime/checked_function.hpp"
#include "nopal/detail/runtime/completion.hpp"
#include "nopal/options.hpp"
#include "nopal/statistics.hpp"

namespace nopal {
inline namespace serial {

class claim;
struct claim_options;

template <class F, class... A>
decltype(auto) run(F&& f, A&&... args) {
  if constexpr (detail::check_function<F, A...>())
    return detail::invoke_to_end(std::forward<F>(f), std::forward<A>(args)...);
}
template <class No = detail::one_function_comes_first__a_lambda_chooses_among_several_of_one_name>
No run(...);

[[nodiscard]] inline unsigned workers() { return 1; }

class runtime {
 public:
  runtime() = default;
  explicit runtime(const options&) {}
  runtime(const runtime&) = delete;
  runtime& operator=(const runtime&) = delete;

  template <class F, class... A>
  decltype(auto) run(F&& f, A&&... args) {
    return serial::run(std::forward<F>(f), std::forward<A>(args)...);
  }
  /// Runs f(args...) at once. An exception that escapes ends the process. Defined in
  /// nopal/async.hpp.
  template <class F, class... A>
  void spawn_detached(F&& f, A&&... args);
  [[nodiscard]] serial::claim claim(const claim_options& o);  // in claim.hpp
  [[nodiscard]] unsigned workers() const noexcept { return 1; }
  [[nodiscard]] bool is_current() const noexcept { return true; }
  [[nodiscard]] statistics stats() const {
    return {.total = {}, .per_worker = std::vector<counts>(1)};
  }
};

}  // namespace serial
}  // namespace nopal
