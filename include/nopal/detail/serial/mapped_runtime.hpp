// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <utility>

#include "nopal/detail/serial/runtime.hpp"
#include "nopal/options.hpp"
#include "nopal/statistics.hpp"

namespace nopal {
inline namespace serial {
namespace mapped {

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
  [[nodiscard]] unsigned workers() const noexcept { return 1; }
  [[nodiscard]] statistics stats() const {
    return {.total = {}, .per_worker = std::vector<counts>(1)};
  }
  [[nodiscard]] nopal::mapped::stack_statistics stacks() const { return {}; }
  [[nodiscard]] int process(unsigned) const noexcept { return getpid(); }
};

}  // namespace mapped
}  // namespace serial
}  // namespace nopal
