// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <stdexcept>
#include <string>

#include "nopal/detail/serial/task_promise.hpp"

namespace nopal {
inline namespace serial {
namespace serial_detail {

struct resume_on_awaiter : std::suspend_never {
  unsigned index;
  void await_resume() const {
    if (index != 0)
      throw std::out_of_range("nopal: there is no worker " + std::to_string(index) +
                              "; the serial elision has worker 0 alone");
  }
};

struct resume_on_expression {
  unsigned index;
  [[nodiscard]] resume_on_awaiter awaiter_in(task_promise&) const noexcept { return {{}, index}; }
};

}  // namespace serial_detail

[[nodiscard(
    "nopal: it takes place where it is awaited: co_await "
    "nopal::resume_on(i)")]] inline serial_detail::resume_on_expression
resume_on(unsigned worker) noexcept {
  return {worker};
}

}  // namespace serial
}  // namespace nopal
