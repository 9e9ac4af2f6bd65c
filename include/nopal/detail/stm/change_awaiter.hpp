// SPDX-License-Identifier: Apache-2.0
// A task whose transaction has called retry waits by this for a change to what the transaction has
// read.
#pragma once

#include <coroutine>

#include "nopal/detail/stm/transaction_core.hpp"
#include "nopal/detail/task/task_declaration.hpp"
#include "nopal/detail/task/task_waiter.hpp"

namespace nopal {

namespace detail {

/// The awaiter, which lies in the task.
class change_awaiter {
 public:
  change_awaiter(task_promise& t, transaction_core& c) noexcept : waiter_(t), sleeping_{&c} {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<>) noexcept {
#ifdef NOPAL_CHECK
    noted_.begin(sleeping_.transaction->as_reason());
#endif
    return waiter_.wait_for(
        [s = &sleeping_](waiter& w) noexcept { return transaction_core::sleep(*s, w); });
  }
  void await_resume() noexcept {
#ifdef NOPAL_CHECK
    // The transaction goes on only afterwards.
    noted_.end();
#endif
    sleeping_.transaction->wake_up();
  }

 private:
  task_waiter waiter_;
  sleeping_transaction sleeping_;
#ifdef NOPAL_CHECK
  noted_wait noted_;
#endif
};

/// A task awaits this after prepare_to_begin_again() has returned true.
struct change_to_what_was_read {
  transaction_core* transaction;

  [[nodiscard]] change_awaiter awaiter_in(task_promise& t) const noexcept {
    return {t, *transaction};
  }
};

}  // namespace detail
}  // namespace nopal
