// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/scheduler/noted_wait.hpp"
#include "nopal/detail/wait/decision.hpp"

namespace nopal::detail {

class scope;

/// One that joins a scope. docs/async.md has the protocol.
class join_operation : withdrawable {
 public:
  using result = void;
  static constexpr bool begins_at_once = false;
  static constexpr bool is_interruptible = false;  // as no join is
  static constexpr const char* name = "nopal::task_scope: join";
  static constexpr const char* waits_for = "the end of the functions of the nopal::task_scope";

  explicit join_operation(scope& s) noexcept : withdrawable{withdraw_by_limit}, at_(&s) {}

  bool take() noexcept;
  bool begin(decision& d, bool for_task) noexcept;
  static bool end(unsigned /*number*/) noexcept { return true; }
  /// \throws the exception of the function that was the first to throw.
  void value();
  [[nodiscard]] const void* object() const noexcept { return at_; }
#ifdef NOPAL_CHECK
  [[nodiscard]] noted_wait::reason as_reason() const noexcept;
#endif

 private:
  static bool withdraw_by_limit(withdrawable& self) noexcept;

  scope* at_;
};

}  // namespace nopal::detail
