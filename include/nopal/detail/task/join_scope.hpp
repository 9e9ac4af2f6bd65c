// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>

#include "nopal/detail/task/task_promise.hpp"

namespace nopal::detail {

/// join_scope() makes a variable of this type.
class joins_at_its_end {
 public:
  explicit joins_at_its_end(task_promise& t) noexcept : task_(&t) {}
  ~joins_at_its_end() { task_->join_in_place(); }
  joins_at_its_end(const joins_at_its_end&) = delete;
  joins_at_its_end& operator=(const joins_at_its_end&) = delete;

 private:
  task_promise* task_;
};

/// join_scope() returns this. A task awaits it, which makes the variable and suspends nothing.
struct join_scope_expression {
  [[nodiscard]] auto awaiter_in(task_promise& t) const noexcept {
    struct awaiter : std::suspend_never {
      task_promise* task;
      [[nodiscard]] joins_at_its_end await_resume() const noexcept {
        return joins_at_its_end(*task);
      }
    };
    return awaiter{{}, &t};
  }
};

}  // namespace nopal::detail
