// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stop_token>
#include <utility>

#include "nopal/wait/limits.hpp"

namespace nopal {
inline namespace serial {
namespace serial_detail {

/// What a stop comes to: the function that runs in it. It lies with its caller.
class stop_scope {
 public:
  explicit stop_scope(const limits& within) : within_(within) { current() = this; }
  ~stop_scope() { current() = outer_; }
  stop_scope(const stop_scope&) = delete;
  stop_scope& operator=(const stop_scope&) = delete;

  static stop_scope*& current() noexcept {
    static thread_local stop_scope* of_thread = nullptr;
    return of_thread;
  }
  std::stop_source source;

  [[nodiscard]] bool is_over() const noexcept {
    return within_.deadline != limits::moment::max() &&
           std::chrono::steady_clock::now() >= within_.deadline;
  }
  /// Whether a stop has come to this or to what is around it.
  [[nodiscard]] bool is_stopped() noexcept {
    if (!source.stop_requested() &&
        (within_.stop.stop_requested() || is_over() || is_stopped_outside()))
      source.request_stop();
    return source.stop_requested();
  }
  [[nodiscard]] bool is_stopped_outside() const noexcept {
    return outer_ != nullptr && outer_->is_stopped();
  }

 private:
  limits within_;
  stop_scope* outer_ = current();
};

}  // namespace serial_detail
}  // namespace serial

namespace detail {
inline namespace serial_stop {

class left_scope {
 public:
  left_scope() noexcept = default;
  ~left_scope() { serial_detail::stop_scope::current() = scope_; }
  left_scope(const left_scope&) = delete;
  left_scope& operator=(const left_scope&) = delete;

 private:
  serial_detail::stop_scope* const scope_ =
      std::exchange(serial_detail::stop_scope::current(), nullptr);
};

}  // namespace serial_stop
}  // namespace detail
}  // namespace nopal
