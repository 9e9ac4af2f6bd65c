// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <utility>

#include "nopal/detail/async/outcome.hpp"
#include "nopal/detail/serial/task_promise.hpp"

namespace nopal {
inline namespace serial {

class task_scope;

/// The result of a function that has run already.
template <class T>
class pending {
 public:
  T get() { return result_.take(); }
  [[nodiscard]] bool ready() const noexcept { return true; }

  [[nodiscard]] auto awaiter_in(serial_detail::task_promise&) noexcept { return awaiter{{}, this}; }

 private:
  friend task_scope;

  struct awaiter : std::suspend_never {
    pending* p;
    T await_resume() const { return p->get(); }
  };

  pending() = default;

  detail::outcome<T> result_;
};

}  // namespace serial
}  // namespace nopal
