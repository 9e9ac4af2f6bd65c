// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/async/countdown.hpp"
#include "nopal/detail/async/outcome.hpp"

namespace nopal::detail {

/// Shared by a pending result and the function that gives it.
template <class T>
class promised_result {
 public:
  /// Keeps what f() returns or throws, and lets whoever waits go on. Called once.
  template <class F>
  void set_from(F&& f) noexcept {
    outcome_.set_from(f);
    is_set_.signal();
  }
  [[nodiscard]] countdown& is_set() noexcept { return is_set_; }
  T take() { return outcome_.take(); }

 private:
  countdown is_set_{1};
  outcome<T> outcome_;
};

}  // namespace nopal::detail
