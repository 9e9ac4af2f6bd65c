// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <system_error>
#include <type_traits>
#include <utility>

#include "nopal/detail/async/outcome.hpp"
#include "nopal/detail/serial/sync/made_call.hpp"
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
  serial_detail::made_call<T> get(const limits& within) {
    wait_within("nopal::pending: get", {&within});
    if constexpr (std::is_void_v<T>) {
      get();
      return {};
    } else {
      return get();
    }
  }
  serial_detail::made_call<void> wait() {
    require_result();
    return {};
  }
  auto wait(const limits& within) { return wait_within("nopal::pending: wait", {&within}); }
  auto wait(std::error_code& error, const limits& within) {
    return wait_within("nopal::pending: wait", {&within, &error});
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

  serial_detail::made_call<void> wait_within(const char* name,
                                             const serial_detail::call_limits& l) const {
    require_result();
    return serial_detail::made(name, l, [] { return true; });
  }
  void require_result() const {
    if (!valid_) detail::no_result_to_get();
  }

  outcome<T> result_;
  bool valid_ = true;
};

}  // namespace serial
}  // namespace nopal
