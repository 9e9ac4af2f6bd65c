// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nopal/detail/scheduler/noted_wait.hpp"
#include "nopal/detail/stm/transaction_core.hpp"
#include "nopal/detail/wait/wait_call.hpp"

namespace nopal::detail {

/// A transaction that has called retry, and waits for a change to what it has read. It has been
/// undone: prepare_to_begin_again() has returned true.
class retry_operation {
 public:
  using result = void;
  static constexpr bool begins_at_once = true;
  static constexpr bool is_interruptible = true;
  static constexpr const char* name = "nopal::stm: retry";
  static constexpr const char* waits_for = "a change to what a transaction has read";

  explicit retry_operation(transaction_core& t) noexcept : sleeping_{{}, &t} {}

  static bool take() noexcept { return false; }
  bool begin(decision& d, bool /*for_task*/) noexcept {
    sleeping_.of = &d;
    if (transaction_core::sleep(sleeping_)) return false;
    sleeping_.transaction->wake_up();
    return true;
  }
  bool end(unsigned number) noexcept {
    if (decision::is_limit(number)) transaction_core::end_sleep(sleeping_);
    sleeping_.transaction->wake_up();
    return true;
  }
  void value() const noexcept {}
  [[nodiscard]] const void* object() const noexcept { return sleeping_.transaction; }
#ifdef NOPAL_CHECK
  [[nodiscard]] noted_wait::reason as_reason() const noexcept {
    return sleeping_.transaction->as_reason();
  }
#endif

 private:
  sleeping_transaction sleeping_;
};

}  // namespace nopal::detail
