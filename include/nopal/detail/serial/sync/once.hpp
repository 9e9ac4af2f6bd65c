// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
#include <system_error>

#include "nopal/detail/serial/sync/made_call.hpp"

namespace nopal {
inline namespace serial {

class once {
 public:
  once() noexcept = default;
  once(const once&) = delete;
  once& operator=(const once&) = delete;

  template <std::invocable F>
  auto call(F&& f) {
    return call_within(f, {});
  }
  template <std::invocable F>
  auto call(F&& f, const limits& within) {
    return call_within(f, {&within});
  }
  template <std::invocable F>
  auto call(F&& f, std::error_code& error, const limits& within) {
    return call_within(f, {&within, &error});
  }
  template <std::invocable F>
  bool try_call(F&& f) {
    if (state_ == state::runs) return false;
    if (state_ == state::is_new) run(f);
    return true;
  }
  [[nodiscard]] bool is_done() const noexcept { return state_ == state::has_run; }

 private:
  enum class state { is_new, runs, has_run };

  template <class F>
  serial_detail::made_call<void> call_within(F& f, const serial_detail::call_limits& l) {
    return serial_detail::made("nopal::once: call", l, [&] { return try_call(f); });
  }
  template <class F>
  void run(F& f) {
    state_ = state::runs;
    try {
      std::invoke(f);
    } catch (...) {
      state_ = state::is_new;
      throw;
    }
    state_ = state::has_run;
  }

  state state_ = state::is_new;
};

}  // namespace serial
}  // namespace nopal
