// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/scheduler/noted_wait.hpp"
#include "nopal/detail/wait/decision.hpp"

namespace nopal {

class countdown;

namespace detail {

/// One that waits for all signals of a countdown. docs/async.md has the protocol.
class countdown_operation : withdrawable {
 public:
  using result = void;
  static constexpr bool begins_at_once = false;
  static constexpr bool is_interruptible = true;
  static constexpr const char* name = "nopal::countdown: wait";
  static constexpr const char* waits_for = "signals to the nopal::countdown";

  /// \param d  nullptr if there is nothing to wait for.
  explicit countdown_operation(countdown* d) noexcept : withdrawable{withdraw_by_limit}, at_(d) {}

  inline bool take() noexcept;
  bool begin(decision& d, bool for_task) noexcept;
  bool end(unsigned number) noexcept;
  void value() const noexcept {}
  [[nodiscard]] const void* object() const noexcept { return at_; }
#ifdef NOPAL_CHECK
  [[nodiscard]] noted_wait::reason as_reason() const noexcept;
#endif

 private:
  static bool withdraw_by_limit(withdrawable& self) noexcept;

  countdown* at_;
};

}  // namespace detail
}  // namespace nopal
