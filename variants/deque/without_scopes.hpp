// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/deque/continuation.hpp"

namespace nopal::detail {

/// A deque that is there to be compared, and does not say in which scope its elements were pushed.
/// So what is stolen is in none, and a stop does not reach it.
template <class D>
class without_scopes : public D {
 public:
  using D::steal;
  using D::take_oldest;

  void set_scope(stop_scope* s) noexcept { scope_ = s; }
  [[nodiscard]] stop_scope* scope() const noexcept { return scope_; }
  continuation* take_oldest(stop_scope*& /*of*/) noexcept { return D::take_oldest(); }
  template <class Still>
  continuation* steal(Still still, stop_scope*& /*of*/) noexcept {
    return D::steal(still);
  }

 private:
  stop_scope* scope_ = nullptr;
};

}  // namespace nopal::detail
