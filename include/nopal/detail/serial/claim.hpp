// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <utility>
#include <vector>

#include "nopal/async/claim_options.hpp"
#include "nopal/detail/serial/runtime.hpp"
#include "nopal/detail/serial/spawn_detached.hpp"
#include "nopal/statistics.hpp"

namespace nopal {
inline namespace serial {

/// A claim that has as many workers as it was asked for at least, and runs all on the caller's
/// thread.
class claim {
 public:
  claim(claim&& other) noexcept : workers_(std::exchange(other.workers_, 0)) {}
  claim& operator=(claim&& other) noexcept {
    workers_ = std::exchange(other.workers_, 0);
    return *this;
  }

  template <class F, class... A>
  decltype(auto) run(F&& f, A&&... args) {
    require_workers();
    return serial::run(std::forward<F>(f), std::forward<A>(args)...);
  }
  template <class F, class... A>
  void spawn(F&& f, A&&... args) {
    require_workers();
    serial_detail::run_detached(std::forward<F>(f), std::forward<A>(args)...);
  }
  template <class F, class... A>
  void infect(unsigned n, const F& f, const A&... args) {
    require_workers();
    for (unsigned i = 0; i < n; ++i) serial_detail::run_detached(f, i, args...);
  }
  [[nodiscard]] unsigned workers() const {
    require_workers();
    return workers_;
  }
  void grow(unsigned n) {
    require_workers();
    workers_ += n;
  }
  void shrink(unsigned n) {
    require_workers();
    if (n >= workers_)
      throw std::invalid_argument("nopal: a claim is to shrink to no worker; one stays, at least");
    workers_ -= n;
  }
  [[nodiscard]] statistics stats() const {
    require_workers();
    return {.total = {}, .per_worker = std::vector<counts>(1)};
  }

 private:
  friend class runtime;
  friend class task_scope;
  explicit claim(unsigned workers) : workers_(workers) {}

  void require_workers() const {
    if (workers_ == 0)
      throw std::logic_error("nopal: a nopal::claim that has been moved from is used");
  }

  unsigned workers_;
};

inline claim runtime::claim(const claim_options& o) {
  if (o.at_least == 0 || o.at_most < o.at_least)
    throw std::invalid_argument("nopal: claim_options::at_least must be 1 to at_most");
  return serial::claim(o.at_least);
}

}  // namespace serial
}  // namespace nopal
