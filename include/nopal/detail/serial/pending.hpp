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
  pending(pending&& other) noexcept
      : result_(std::move(other.result_)), valid_(std::exchange(other.valid_, false)) {}
  pending& operator=(pending&& other) noexcept {
    result_ = std::move(other.result_);
    valid_ = std::exchange(other.valid_, false);
    return *this;
  }

  T get() {
    require_result();
    valid_ = false;
    return result_.take();
  }
  [[nodiscard]] bool ready() const {
    require_result();
    return true;
  }
  [[nodiscard]] bool valid() const noexcept { return valid_; }

  [[nodiscard]] auto awaiter_in(serial_detail::task_promise&) noexcept { return awaiter{{}, this}; }

 private:
  friend task_scope;

  struct awaiter : std::suspend_never {
    pending* p;
    T await_resume() const { return p->get(); }
  };

  pending() = default;

  void require_result() const {
    if (!valid_) detail::no_result_to_get();
  }

  detail::outcome<T> result_;
  bool valid_ = true;
};

}  // namespace serial
}  // namespace nopal
