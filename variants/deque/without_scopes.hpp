// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "nopal/detail/deque/continuation.hpp"
#include "nopal/detail/platform/config.hpp"

namespace nopal::detail {

/// A deque that is there to be compared, and does not say in which scope its elements were pushed.
/// So what is stolen is in none, and a stop does not reach it.
template <class D>
class without_scopes : public D {
 public:
  using D::steal;
  using D::take_oldest;

  /// Does what D does, also for a position on another worker's deque: this one is empty then, so
  /// the position is not the newest, or D says that it has been stolen.
  NOPAL_ALWAYS_INLINE bool pop(std::int64_t b) noexcept {
    if (b < 0 || D::newest() != b) [[unlikely]]
      return false;
    return D::pop(b);
  }
  // So pop() does not need positions that grow from worker to worker.
  [[nodiscard]] std::int64_t end() const noexcept { return 0; }
  void begin_above(std::int64_t /*p*/) noexcept {}

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
